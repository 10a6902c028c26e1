import type { HookedNotification, HookedServer, SdkPort } from './sdk-port.js';
import { isHandler, replaceMethod, type Handler } from './replace-method.js';

/** An author may listen to the same notifications, and stop listening; `listeners` are called all the same. */
export function hookNotifications(
  server: HookedServer,
  { methodOf, notificationKey }: Pick<SdkPort<never>, 'methodOf' | 'notificationKey'>,
  listeners: Readonly<Record<HookedNotification, () => void>>,
): void {
  const isHooked = (method: unknown): method is HookedNotification =>
    typeof method === 'string' && Object.hasOwn(listeners, method);
  replaceMethod(server, 'setNotificationHandler', (setHandler) => {
    const listenAlone = (method: HookedNotification): unknown =>
      setHandler(notificationKey(method), listeners[method]);
    replaceMethod(server, 'removeNotificationHandler', (removeHandler) => (method) => {
      return isHooked(method) ? listenAlone(method) : removeHandler(method);
    });
    const listenToo: Handler = (key, ...rest) => {
      const method = methodOf(key);
      const handler = rest.at(-1);
      if (!isHooked(method) || !isHandler(handler)) return setHandler(key, ...rest);
      const both: Handler = (...args) => {
        listeners[method]();
        return handler(...args);
      };
      return setHandler(key, ...rest.slice(0, -1), both);
    };
    listenToo(notificationKey('notifications/initialized'), () => server.oninitialized?.());
    listenAlone('notifications/roots/list_changed');
    return listenToo;
  });
}
