/** Where requests come from: the process that started us, or anyone who can reach our address. */
export type TransportKind = 'local' | 'http';

/** Transports of Streamable HTTP are fed request by request; all others are a stream in both directions. */
export function isFedByRequest(transport: object | undefined): boolean {
  return transport !== undefined && 'handleRequest' in transport;
}

/** Whether a transport that is fed by request belongs to a session, so that all of its requests are of one client. */
export function hasSession(transport: object): boolean {
  return 'sessionId' in transport && transport.sessionId !== undefined;
}

/** Whether a request of ours can travel inside a request of the client. A transport may say that it cannot. */
export function carriesRequests(transport: object | undefined): boolean {
  if (transport === undefined || !isFedByRequest(transport)) return false;
  return !('carriesRequests' in transport) || transport.carriesRequests !== false;
}

/** The older HTTP transport is a stream that messages are posted to. */
export function transportKind(transport: object | undefined): TransportKind {
  const isPostedTo = transport !== undefined && 'handlePostMessage' in transport;
  return isPostedTo || isFedByRequest(transport) ? 'http' : 'local';
}
