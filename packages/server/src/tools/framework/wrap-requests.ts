import type { McpServer, ServerContext } from '@modelcontextprotocol/server';

/** Runs in place of the handler of a method, which it may call. */
type Wrapper<Own> = (
  request: unknown,
  ctx: ServerContext,
  handle: () => Promise<unknown>,
  own: Own,
) => Promise<unknown>;

/** Wrappers by the method that they are for; the same for any number of servers. */
export type Wrappers<Own> = ReadonlyMap<string, Wrapper<Own>>;

/** What wraps the handlers of one server. */
interface Layer {
  readonly wrappers: Wrappers<unknown>;
  readonly own: unknown;
}

/** Outermost first, and the method that they stand before. */
interface Layers {
  readonly register: (...args: unknown[]) => unknown;
  readonly list: readonly Layer[];
}

type Handler = (request: unknown, ctx: ServerContext) => unknown;

const LAYERS = Symbol('wrappers of requests');

/**
 * Wraps the handlers of some methods. Apply it before they are set; the first to do so is outermost. `own` is what the
 * wrappers need to know of this server.
 */
export function wrapRequests<Own>({ server }: McpServer, wrappers: Wrappers<Own>, own: Own): void {
  const before: unknown = Reflect.get(server, LAYERS);
  const register: unknown = isLayers(before) ? before.register : Reflect.get(server, 'setRequestHandler');
  if (!isFunction(register)) return;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is called with what it came with
  const layer = { wrappers, own } as Layer;
  // A list that is spread keeps room for a dozen more.
  const list: readonly Layer[] = isLayers(before) ? before.list.concat(layer) : [layer];
  const value: Layers = { register, list };
  Object.defineProperty(server, LAYERS, { value, configurable: true });
  if (isLayers(before)) return;
  Object.defineProperty(server, 'setRequestHandler', {
    value: setWrapped,
    configurable: true,
    writable: true,
  });
}

/** The same for all servers: a function for each, and for each layer, would take 100 bytes. */
function setWrapped(this: object, method: string, ...rest: unknown[]): unknown {
  const layers: unknown = Reflect.get(this, LAYERS);
  if (!isLayers(layers)) return undefined;
  const given = rest.at(-1);
  if (!isFunction(given)) return Reflect.apply(layers.register, this, [method, ...rest]);
  let handler: Handler = given;
  for (const { wrappers, own } of layers.list.toReversed()) {
    const wrapper = wrappers.get(method);
    if (wrapper !== undefined) handler = wrapped(wrapper, handler, own);
  }
  return Reflect.apply(layers.register, this, [method, ...rest.slice(0, -1), handler]);
}

function wrapped(wrapper: Wrapper<unknown>, handler: Handler, own: unknown): Handler {
  return (request, ctx) => wrapper(request, ctx, async (): Promise<unknown> => handler(request, ctx), own);
}

function isLayers(value: unknown): value is Layers {
  return typeof value === 'object' && value !== null && 'register' in value;
}

function isFunction(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function';
}
