import { isHandler, replaceShared, sharedMethod, type SharedMethod } from './replace-method.js';
import type { HookedNotification, SdkPort } from './sdk-port.js';

/** Who hears notifications of a server, whatever its author does with them. */
interface Listener {
  readonly sdk: Pick<SdkPort<never>, 'methodOf' | 'notificationKey'>;
  heard(method: HookedNotification): void;
}

const HOOKED: ReadonlySet<unknown> = new Set<HookedNotification>([
  'notifications/initialized',
  'notifications/roots/list_changed',
]);

/** An author may listen to the same notifications, and stop listening; the listener of the server is called all the same. */
export function notificationHooks(listenerOf: (server: object) => Listener): {
  /** Call it once for each server. */
  install(server: { oninitialized?: (() => void) | undefined }): void;
} {
  const set: SharedMethod = sharedMethod('setNotificationHandler', (server, setHandler, [key, ...rest]) => {
    const listener = listenerOf(server);
    const method = listener.sdk.methodOf(key);
    const handler = rest.at(-1);
    if (!isHooked(method) || !isHandler(handler)) return setHandler(key, ...rest);
    return setHandler(key, ...rest.slice(0, -1), (...args: unknown[]) => {
      listener.heard(method);
      return handler(...args);
    });
  });
  const listen = (server: object, method: HookedNotification, handler: () => void): unknown => {
    const hooked: unknown = Reflect.get(server, set.name);
    const key = listenerOf(server).sdk.notificationKey(method);
    return isHandler(hooked) ? Reflect.apply(hooked, server, [key, handler]) : undefined;
  };
  const remove = sharedMethod('removeNotificationHandler', (server, removeHandler, [method]) =>
    isHooked(method) ? listen(server, method, nothing) : removeHandler(method),
  );
  return {
    install: (server) => {
      replaceShared(server, set);
      replaceShared(server, remove);
      listen(server, 'notifications/initialized', () => server.oninitialized?.());
      listen(server, 'notifications/roots/list_changed', nothing);
    },
  };
}

function isHooked(method: unknown): method is HookedNotification {
  return HOOKED.has(method);
}

function nothing(): void {
  // The listener has heard it.
}
