import { RootwardMcpError } from '../../error.js';
import { BYTES_WAIT } from '../../store/principal-limits.js';

const RETRY_AFTER_SECONDS = 5;
const SESSION_NOT_FOUND = -32_001;
const BAD_REQUEST = -32_000;
const INVALID_REQUEST = -32_600;
export const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE']);

export function sessionNotFound(): Response {
  return failure(404, SESSION_NOT_FOUND, 'Session not found');
}

export function sessionRequired(): Response {
  return failure(400, BAD_REQUEST, 'Bad Request: Mcp-Session-Id header is required');
}

export function idInUse(): Response {
  return failure(400, INVALID_REQUEST, 'Invalid Request: another request with this id is under way');
}

export function openingTooLarge(): Response {
  return failure(413, BAD_REQUEST, 'Cannot open a session: the request is larger than 64 KB');
}

export function openingTooDeep(): Response {
  return failure(400, INVALID_REQUEST, 'Invalid Request: it is nested too deeply to open a session');
}

export function unknownEvent(): Response {
  return failure(400, BAD_REQUEST, 'Bad Request: the event of Last-Event-ID is not known');
}

/**
 * Nothing follows what the client has. An empty stream would make clients of the SDK before 2.0 ask again and again
 * after an answer that is an error; this status ends it.
 */
export function streamOver(): Response {
  return notAllowed('There is nothing left on this stream');
}

export function tooManySessions(): Response {
  return later(503, 'Too many sessions: end one with DELETE, or try again later', RETRY_AFTER_SECONDS);
}

/** The principal has reached its limit. */
export function overLimit(seconds: number): Response {
  const used = seconds === BYTES_WAIT ? 'bytes in a minute' : 'requests in a second';
  return later(429, `Too many ${used} for this principal`, seconds);
}

/** To send it again would be useless, so it does not say when. */
export function batchTooLarge(most: number): Response {
  const reason = `a batch of this principal may have at most ${most}, its limit per second`;
  return failure(413, BAD_REQUEST, `Too many messages: ${reason}`);
}

export function principalRevoked(): Response {
  const response = failure(401, BAD_REQUEST, 'Access was revoked');
  response.headers.set('WWW-Authenticate', 'Bearer error="invalid_token", error_description="revoked"');
  return response;
}

/** The client is told only that there was an internal error. */
export function handlerClosed(): RootwardMcpError {
  return new RootwardMcpError('closed', 'Cannot open a session: the handler is closed');
}

/** Undefined for what has nothing to do with the store. */
export function storeFailure(error: unknown): Response | undefined {
  if (!(error instanceof RootwardMcpError)) return undefined;
  if (error.code === 'store-unavailable') return later(503, error.message, RETRY_AFTER_SECONDS);
  return error.code === 'store-invalid' ? sessionNotFound() : undefined;
}

export function methodNotAllowed(): Response {
  return notAllowed('Method not allowed.');
}

function notAllowed(message: string): Response {
  const response = failure(405, BAD_REQUEST, message);
  response.headers.set('Allow', [...METHODS].join(', '));
  return response;
}

function later(status: number, message: string, seconds: number): Response {
  const response = failure(status, BAD_REQUEST, message);
  response.headers.set('Retry-After', String(seconds));
  return response;
}

function failure(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
