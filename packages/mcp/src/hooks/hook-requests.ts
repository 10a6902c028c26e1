import { isHandler, replaceMethod, type Handler } from './replace-method.js';
import type { SdkPort } from './sdk-port.js';

/** Wraps the handlers of requests by their method, others with `rest`, as they are set. Call it before they are. */
export function hookRequests(
  server: object,
  { methodOf }: Pick<SdkPort<never>, 'methodOf'>,
  wrappers: ReadonlyMap<string, (handler: Handler) => Handler>,
  rest?: (handler: Handler) => Handler,
): void {
  replaceMethod(server, 'setRequestHandler', (setHandler) => (key, ...given) => {
    const wrap = wrappers.get(methodOf(key)) ?? rest;
    const handler = given.at(-1);
    if (wrap === undefined || !isHandler(handler)) return setHandler(key, ...given);
    return setHandler(key, ...given.slice(0, -1), wrap(handler));
  });
}
