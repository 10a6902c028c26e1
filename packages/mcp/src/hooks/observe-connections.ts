import type { ConnectionObserver } from '../context/workspace-options.js';
import type { AnyServer } from './sdk-port.js';
import { ServerBinding } from './server-binding.js';

/**
 * Has an observer told of the connections of one server that a workspace was added to, so that servers with different
 * observers share what is prepared. Call it before connecting.
 */
export function observeConnections(server: AnyServer, observer: ConnectionObserver): void {
  ServerBinding.known(server).observeBy(observer);
}
