import { invalidOption } from '../context/check-options.js';
import { failedToolResult, isOurs, reportError, rpcCode } from '../context/error-report.js';
import { isObject } from '@rootward/core/platform';
import { inCompletionContext } from '../context/completion-context.js';
import type { WorkspaceContext } from '../context/workspace-context.js';
import { listBindCaller, serveBindCaller } from './bind-caller.js';
import { wrappedRegistration } from './patch-registration.js';
import { isHandler, replaceShared, sharedMethod, type Handler } from './replace-method.js';
import { isLowLevel, protocolOf, type AnyServer, type HookedServer } from './sdk-port.js';
import { HANDLE_TOOL, ServerBinding } from './server-binding.js';

const ADDED = Symbol('rootward workspace added');

/** Where both SDKs keep what was registered. */
const REGISTERED = [
  ['_registeredTools', 'tool'],
  ['_registeredPrompts', 'prompt'],
  ['_registeredResources', 'resource'],
  ['_registeredResourceTemplates', 'resource template'],
] as const;

/** What a server without `McpServer` around it serves, and where an answer may ask back. */
const ASKING_METHODS = ['tools/call', 'prompts/get', 'resources/read'] as const;

/** What was registered before would find no workspace, and fail only when it is called. */
function requireFirst(server: object): void {
  if (isLowLevel(server)) {
    for (const method of ASKING_METHODS) requireUnset(server, method);
    return;
  }
  for (const [member, kind] of REGISTERED) {
    const registered: unknown = Reflect.get(server, member);
    const [first] = isObject(registered) ? Object.keys(registered) : [];
    if (first === undefined) continue;
    throw invalidOption(
      `Cannot add a workspace: the ${kind} "${first}" was registered before withWorkspace() was called`,
    );
  }
}

function requireUnset(server: HookedServer, method: string): void {
  try {
    server.assertCanSetRequestHandler(method);
  } catch {
    throw invalidOption(
      `Cannot add a workspace: the handler of "${method}" was set before withWorkspace() was called`,
    );
  }
}

/** Turns an error into a result, or throws it. */
type Failure = (error: unknown) => unknown;

/**
 * Gives every handler registered from now on the workspace, in its context. Done once, however often it is called. The
 * server has its binding by then.
 */
export function addWorkspace(server: AnyServer): void {
  if (Object.hasOwn(server, ADDED)) return;
  requireFirst(server);
  Object.defineProperty(server, ADDED, { value: true });
  for (const registration of REGISTRATIONS) replaceShared(server, registration);
  replaceShared(protocolOf(server), SET_REQUEST_HANDLER);
}

/** The methods of `McpServer` that register. */
const REGISTRATIONS = [
  wrappedRegistration('registerTool', wrapperOfTool),
  wrappedRegistration('tool', (server, [name]) => wrapperOfTool(server, [name])),
  ...['registerPrompt', 'registerResource', 'prompt', 'resource'].map((name) =>
    wrappedRegistration(name, wrapperOfRest),
  ),
];

/** Wraps handlers of requests when they are set, by their method. */
const SET_REQUEST_HANDLER = sharedMethod('setRequestHandler', (server, setHandler, [key, ...given]) => {
  const binding = ServerBinding.known(server);
  const handler = given.at(-1);
  if (!isHandler(handler)) return setHandler(key, ...given);
  return setHandler(key, ...given.slice(0, -1), wrapRequest(binding, binding.sdk.methodOf(key), handler));
});

function wrapperOfTool(server: object, [name, config]: readonly unknown[]): (handler: Handler) => Handler {
  const binding = ServerBinding.known(server);
  binding.noteTool(name);
  const failure = failedTool(binding, isObject(config) && config['outputSchema'] !== undefined);
  return (handler) => wrapHandler(binding, handler, failure, calledFor(name));
}

function wrapperOfRest(server: object): (handler: Handler) => Handler {
  const binding = ServerBinding.known(server);
  return (handler) => wrapHandler(binding, handler, failedRequest(binding), calledFor());
}

/** Their callbacks are not registered as handlers: `McpServer` passes on what it was called with. */
const LISTINGS: ReadonlySet<string> = new Set([
  'resources/list',
  'resources/directory/read',
  'skills/list',
  'skills/get',
]);

function wrapRequest<Context extends object>(
  binding: ServerBinding<Context>,
  method: string,
  handler: Handler,
): Handler {
  const { lowLevel } = binding;
  const listing = (widen: Widen): Handler => wrapListing(binding, handler, widen, failedRequest(binding));
  if (LISTINGS.has(method)) return listing(asItIs);
  switch (method) {
    case 'completion/complete':
      return listing(inCompletionContext);
    case 'tools/list':
      return listBindCaller(binding, lowLevel ? listing(asItIs) : handler);
    case 'tools/call':
      return serveBindCaller(
        binding,
        lowLevel ? wrapHandler(binding, handler, failedTool(binding, true), calledIn) : handler,
      );
    case 'prompts/get':
    case 'resources/read':
      return lowLevel
        ? wrapHandler(binding, handler, failedRequest(binding), (given) => ({
            ...calledIn(given),
            tool: undefined,
          }))
        : handler;
    default:
      return lowLevel ? listing(asItIs) : handler;
  }
}

function asItIs(request: unknown): unknown {
  return request;
}

/** What a handler was called for: the arguments in which a handle may be, and the tool. */
interface Called {
  readonly args: unknown;
  readonly tool: unknown;
}

/** A callback of `McpServer` gets its arguments first, if there are any. */
function calledFor(tool?: unknown): (given: readonly unknown[]) => Called {
  return (given) => ({ args: given.length > 1 ? given[0] : undefined, tool });
}

/** A handler of the protocol itself gets the request, or its parameters. */
function calledIn([request]: readonly unknown[]): Called {
  const whole = isObject(request) ? request : {};
  const params = isObject(whole['params']) ? whole['params'] : whole;
  return { args: params['arguments'], tool: params['name'] };
}

/** Adds the workspace to a request, so that inner callbacks find it. */
type Widen = (request: unknown, workspace: WorkspaceContext) => unknown;

/** The same for the handler of one tool, whatever its output schema is. */
export function wrapTool<Context extends object>(binding: ServerBinding<Context>, handler: Handler): Handler {
  return wrapHandler(binding, handler, failedTool(binding, true), calledFor('tool'));
}

function wrapHandler<Context extends object>(
  binding: ServerBinding<Context>,
  handler: Handler,
  failure: Failure,
  calledBy: (given: readonly unknown[]) => Called,
): Handler {
  return async (...given) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both SDKs pass their context last
    const ctx = given.at(-1) as Context;
    return runHandler(binding, failure, calledBy(given), ctx, (inside) =>
      handler(...given.slice(0, -1), inside),
    );
  };
}

/** Calls a handler with a context that has the workspace. */
export async function runHandler<Context extends object>(
  binding: ServerBinding<Context>,
  failure: Failure,
  { args, tool }: Called,
  ctx: Context,
  handler: (inside: Context & { readonly workspace: WorkspaceContext }) => unknown,
): Promise<unknown> {
  const call = binding.call(ctx, args);
  const recorded = typeof tool === 'string' ? binding.recorded(ctx, call.workspace, tool) : undefined;
  const workspace = recorded ?? call.workspace;
  try {
    const answer = await handler({ ...ctx, workspace });
    if (tool === HANDLE_TOOL) await workspace.rootsShown();
    return call.answer(answer);
  } catch (error) {
    const question = call.question(error);
    if (question !== undefined) return question;
    binding.countRefusal(error);
    return failure(error);
  } finally {
    recorded?.finish();
    call.dispose();
  }
}

function wrapListing<Context extends object>(
  binding: ServerBinding<Context>,
  handler: Handler,
  widen: Widen,
  failure: Failure,
): Handler {
  return async (request, context) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both SDKs pass their context last
    const ctx = context as Context;
    const call = binding.call(ctx, undefined, false);
    try {
      return await handler(widen(request, call.workspace), { ...ctx, workspace: call.workspace });
    } catch (error) {
      binding.countRefusal(error);
      return failure(error);
    } finally {
      call.dispose();
    }
  };
}

/** What the client is told about a request that is no call of a tool: an error of the protocol. */
export function failedRequest<Context>({ sdk }: Pick<ServerBinding<Context>, 'sdk'>): Failure {
  return (error) => {
    const report = reportError(error);
    if (report === undefined) throw error;
    throw sdk.protocolError(rpcCode(report), report.message, report);
  };
}

/** Inside the handler: `McpServer` would keep the message of what a tool throws, and nothing else. */
export function failedTool(
  { onRefusal }: Pick<ServerBinding<never>, 'onRefusal'>,
  hasOutputSchema: boolean,
): Failure {
  return (error) => {
    const report = reportError(error);
    if (report === undefined || !isOurs(error)) throw error;
    return onRefusal?.(error) ?? failedToolResult(report, hasOutputSchema);
  };
}
