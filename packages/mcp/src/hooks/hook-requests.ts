import { isHandler, replaceMethod, type Handler } from './replace-method.js';
import type { SdkPort } from './sdk-port.js';

/** Wraps handlers of requests when they are set: by their method, or with `rest`. Call it before any is set. */
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
