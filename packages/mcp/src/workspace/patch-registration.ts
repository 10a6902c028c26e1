/** Any handler of an SDK: its context is the last argument. */
export type Handler = (...args: unknown[]) => unknown;

/**
 * Replaces a registration method of one server, so that handlers are wrapped as they are registered. `wrapperFor`
 * gets the arguments of the registration, of which the handler is the last.
 */
export function patchRegistration(
  server: object,
  method: string,
  wrapperFor: (args: readonly unknown[]) => (handler: Handler) => Handler,
): void {
  const register: unknown = Reflect.get(server, method);
  if (typeof register !== 'function') return;
  const patched = (...args: unknown[]): unknown => {
    const wrap = wrapperFor(args);
    const wrapped = [...args.slice(0, -1), wrapIfHandler(args.at(-1), wrap)];
    return patchUpdate(Reflect.apply(register, server, wrapped), wrap);
  };
  Object.defineProperty(server, method, { value: patched, configurable: true, writable: true });
}

/** A handler may be replaced later. */
function patchUpdate(registered: unknown, wrap: (handler: Handler) => Handler): unknown {
  if (!isUpdatable(registered)) return registered;
  const update = registered.update.bind(registered);
  registered.update = (changes) => {
    const { callback } = changes;
    update(callback === undefined ? changes : { ...changes, callback: wrapIfHandler(callback, wrap) });
  };
  return registered;
}

interface Updatable {
  update(changes: { readonly callback?: unknown }): void;
}

function isUpdatable(value: unknown): value is Updatable {
  return typeof value === 'object' && value !== null && 'update' in value;
}

function wrapIfHandler(value: unknown, wrap: (handler: Handler) => Handler): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all handlers are called the same way
  return typeof value === 'function' ? wrap(value as Handler) : value;
}
