import { isObject } from '@rootward/core/platform';
import { isHandler, replaceMethod, type Handler } from './replace-method.js';

/**
 * Wraps the handlers that are registered with a method of a server. `wrapperFor` gets the arguments of the
 * registration, of which the handler is the last.
 */
export function patchRegistration(
  server: object,
  method: string,
  wrapperFor: (args: readonly unknown[]) => (handler: Handler) => Handler,
): void {
  replaceMethod(server, method, (register) => (...args) => {
    const wrap = wrapperFor(args);
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
