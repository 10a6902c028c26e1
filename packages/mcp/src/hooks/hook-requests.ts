import { isHandler, replaceMethod, type Handler } from './replace-method.js';
import type { SdkPort } from './sdk-port.js';

/** Wraps the handlers of requests by their method, as they are set. Call it before they are. */
export function hookRequests(
  server: object,
  { methodOf }: Pick<SdkPort<never>, 'methodOf'>,
  wrappers: ReadonlyMap<string, (handler: Handler) => Handler>,
): void {
  replaceMethod(server, 'setRequestHandler', (setHandler) => (key, ...rest) => {
    const wrap = wrappers.get(methodOf(key));
    const handler = rest.at(-1);
    if (wrap === undefined || !isHandler(handler)) return setHandler(key, ...rest);
    return setHandler(key, ...rest.slice(0, -1), wrap(handler));
  });
}
