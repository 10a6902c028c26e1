import { isObject } from '@rootward/core/platform';
import { isHandler, replaceMethod, sharedMethod, type Handler, type SharedMethod } from './replace-method.js';

/**
 * Wraps the handlers that are registered with a method of a server. `wrapperFor` gets the server and the arguments of the
 * registration, of which the handler is the last.
 */
export function wrappedRegistration(
  name: string,
  wrapperFor: (server: object, args: readonly unknown[]) => (handler: Handler) => Handler,
): SharedMethod {
  return sharedMethod(name, (server, register, args) => {
    const wrap = wrapperFor(server, args);
    const handler = args.at(-1);
    const registered = register(...args.slice(0, -1), isHandler(handler) ? wrap(handler) : handler);
    if (typeof registered === 'object' && registered !== null) patchUpdate(registered, wrap);
    return registered;
  });
}

/** A handler may be replaced later. */
function patchUpdate(registered: object, wrap: (handler: Handler) => Handler): void {
  replaceMethod(registered, 'update', (update) => (changes) => {
    if (!isObject(changes) || !isHandler(changes['callback'])) return update(changes);
    return update({ ...changes, callback: wrap(changes['callback']) });
  });
}
