import { inCompletionContext } from '../context/completion-context.js';
import type { WorkspaceContext } from '../context/workspace-context.js';
import { isHandler, replaceMethod } from './replace-method.js';
import type { Handler } from './replace-method.js';
import type { SdkPort } from './sdk-port.js';

/** What the request becomes, so that callbacks further in find the workspace. */
type Widen = (request: unknown, workspace: WorkspaceContext) => unknown;

/** Requests whose callbacks are not registered as handlers: `McpServer` passes on what it was called with. */
const LISTINGS: ReadonlyMap<string, Widen> = new Map<string, Widen>([
  ['resources/list', (request) => request],
  ['completion/complete', inCompletionContext],
]);

/** Gives the callbacks that list resources and complete arguments the workspace. Call it before they are registered. */
export function hookListings(
  server: object,
  { methodOf }: Pick<SdkPort<never>, 'methodOf'>,
  wrap: (handler: Handler, widen: Widen) => Handler,
): void {
  replaceMethod(server, 'setRequestHandler', (setHandler) => (key, ...rest) => {
    const widen = LISTINGS.get(methodOf(key));
    const handler = rest.at(-1);
    if (widen === undefined || !isHandler(handler)) return setHandler(key, ...rest);
    return setHandler(key, ...rest.slice(0, -1), wrap(handler, widen));
  });
}
