import type { Reach } from './prepared-workspace.js';

/** Transports of Streamable HTTP are fed request by request; all others are a stream in both directions. */
export function isFedByRequest(transport: object | undefined): boolean {
  return transport !== undefined && 'handleRequest' in transport;
}

/** Where the requests of a transport come from. The older HTTP transport is a stream that messages are posted to. */
export function reachOf(transport: object | undefined): Reach {
  const isPostedTo = transport !== undefined && 'handlePostMessage' in transport;
  return isPostedTo || isFedByRequest(transport) ? 'http' : 'local';
}
