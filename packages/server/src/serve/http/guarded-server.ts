import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { Logger } from '@rootward/core';
import { endAfterRequest } from '@rootward/mcp/host';
import type { AccessTokens, Refusal } from '../oauth/access-tokens.js';
import {
  asksForMetadata,
  challenge,
  metadataUrl,
  resourceOf,
  sendMetadata,
} from '../oauth/resource-metadata.js';
import { ConnectionGuard } from './connection-guard.js';
import {
  allowedHostnames,
  bearerToken,
  faultOfHost,
  faultOfOrigin,
  isMalformed,
  readAbsoluteTarget,
  TokenGate,
} from './http-access.js';
import { isStream } from './draining.js';
import { maxConnections } from './max-connections.js';
import { OpenResponses } from './open-responses.js';
import { StreamPlaces } from './stream-places.js';

export interface GuardOptions {
  readonly host: string;
  /** None lets everyone in. */
  readonly tokens: readonly string[];
  readonly log: Logger;
  /** Access tokens that let in, too. */
  readonly accessTokens?: AccessTokens | undefined;
  /** The address that clients use, where something is in front. */
  readonly publicUrl?: string | undefined;
  readonly maxBodyBytes?: number;
  readonly maxConnections?: number;
  /** Why nothing should be sent here now, for balancers; undefined where all is well. */
  readonly unready?: () => string | undefined;
  /** Told of each request whose access token is about to be checked, which may take seconds. */
  readonly onCheck?: (request: IncomingMessage, response: ServerResponse) => void;
}

export const ENDPOINT = '/mcp';
const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'];
const SINGLE_HEADERS: readonly string[] = ['Host', 'Authorization'];
/** The longest line over stdio, too. */
export const MAX_BODY_BYTES: number = 10 * 1024 * 1024;
/** A sender that is slower than this only occupies a connection. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Headers are small, and the token is among them. */
const HEADERS_TIMEOUT_MS = 5_000;
/** A connection without requests occupies a place. */
const KEEP_ALIVE_MS = 5_000;
/** How often Node looks for those that are too slow. */
const CHECK_INTERVAL_MS = 1_000;
/** A server that is full is full for many at once. */
const TELL_FULL_MS = 60_000;
const RETRY_FULL_SECONDS = 5;
/** By then an issuer is asked again for a key that was not known. */
const RETRY_KEYS_SECONDS = 5;

/** A request that was let in. */
export type AdmittedRequest = IncomingMessage & { auth?: AuthInfo };

/** A server that lets a request through only after its name, origin, path, method, token and size were checked. */
export function createGuardedServer(
  serve: (request: AdmittedRequest, response: ServerResponse) => void,
  options: GuardOptions,
): Server {
  const maxRequestBodySize = options.maxBodyBytes ?? MAX_BODY_BYTES;
  const { publicUrl, unready, accessTokens } = options;
  const names = [
    ...allowedHostnames(options.host),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
  ];
  const gate = new TokenGate(options.tokens);

  const limits = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
  };
  const server = createServer(limits, (request: AdmittedRequest, response) => {
    responses.inTurn(request, response, () => receive(request, response));
  });
  const receive = (request: AdmittedRequest, response: ServerResponse): void => {
    readAbsoluteTarget(request);
    if (answerProbe(request, response, unready)) return;
    // All of this before the body is read.
    const twice = repeatedHeader(request);
    if (twice !== undefined) {
      refuse(request, response, 400, `There must be one ${twice} header`);
      return;
    }
    const { host, origin, authorization } = request.headers;
    const wrongHost = faultOfHost(host, names);
    if (wrongHost !== undefined) {
      refuse(request, response, 403, wrongHost);
      return;
    }
    const resource = resourceOf(options, host ?? '');
    if (
      accessTokens !== undefined &&
      resource !== undefined &&
      asksForMetadata(request.method, pathOf(request), resource)
    ) {
      sendMetadata(request, response, resource, accessTokens.issuer);
      return;
    }
    const wrongOrigin = faultOfOrigin(origin, names);
    if (wrongOrigin !== undefined) {
      refuse(request, response, 403, wrongOrigin);
      return;
    }
    if (pathOf(request) !== ENDPOINT) {
      refuse(request, response, 404, `Not found: the address of this server ends in ${ENDPOINT}`);
      return;
    }
    if (!METHODS.includes(request.method ?? '')) {
      response.setHeader('Allow', METHODS.join(', '));
      refuse(request, response, 405, `Method ${request.method} is not supported`);
      return;
    }
    if (gate.open && accessTokens === undefined) {
      if (connections.admitWhenComplete(request)) letIn('', request, response);
      else refuseFull(request, response, 'connections');
      return;
    }
    const auth = gate.admit(authorization);
    if (auth !== undefined) {
      letInAs(auth, request, response);
      return;
    }
    const token = bearerToken(authorization);
    if (accessTokens === undefined || resource === undefined || token === undefined) {
      refuseBearer(request, response, resource, faultOfCredentials(authorization));
      return;
    }
    options.onCheck?.(request, response);
    void admitByToken(accessTokens, token, resource, request, response);
  };
  const admitByToken = async (
    tokens: AccessTokens,
    token: string,
    resource: string,
    request: AdmittedRequest,
    response: ServerResponse,
  ): Promise<void> => {
    connections.check(request);
    const verdict = await tokens.admit(token);
    // Nobody hears the answer any more.
    if (request.socket.destroyed) return;
    if (isRefusal(verdict)) {
      connections.refuse(request);
      refuseBearer(request, response, resource, verdict);
      return;
    }
    // For what is refused later, when it is known what the request asks for.
    letInAs({ ...verdict, resourceMetadataUrl: metadataUrl(resource) }, request, response);
  };
  const letInAs = (auth: AuthInfo, request: AdmittedRequest, response: ServerResponse): void => {
    request.auth = auth;
    const owner = ownerOf(auth);
    if (connections.admit(request, owner)) letIn(owner, request, response);
    else refuseFull(request, response, 'connections');
  };
  const letIn = (owner: string, request: AdmittedRequest, response: ServerResponse): void => {
    // From here on nobody needs the secret, and what is passed on may end up in a log.
    delete request.headers.authorization;
    if (Number(request.headers['content-length'] ?? 0) > maxRequestBodySize) {
      refuse(request, response, 413, `The request body is larger than ${maxRequestBodySize} bytes`);
      return;
    }
    if (isStream(request) && !streams.take(owner, response)) {
      onFull();
      refuseFull(request, response, 'streams');
      return;
    }
    // Node itself refuses to expect anything else.
    if (request.headers.expect !== undefined && request.httpVersion === '1.1') response.writeContinue();
    serve(request, response);
  };
  // All are looked at: by default Node leaves out what comes after the first thousand. Their size is limited.
  server.maxHeadersCount = 0;
  // Whoever waits to be invited sends the body only after the checks.
  server.on('checkContinue', (request, response) => server.emit('request', request, response));
  const places = options.maxConnections ?? maxConnections();
  const responses = new OpenResponses();
  const onFull = tellFull(options.log, places);
  const isBusy = (socket: Socket): boolean => responses.isBusy(socket);
  const connections = new ConnectionGuard(server, { places, onFull, isBusy });
  const streams = new StreamPlaces(connections.placesForKnown);
  return server;
}

/** Says in the log that all places are taken, once in a while. */
function tellFull(log: Logger, places: number): () => void {
  let toldAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - toldAt < TELL_FULL_MS) return;
    toldAt = now;
    log.warn('all places for connections are taken; start another instance, or raise `ulimit -n`', {
      places,
    });
  };
}

/** Whose connection it is: whatever a token allows, and however many clients its subject has registered. */
function ownerOf({ clientId, extra }: AuthInfo): string {
  return JSON.stringify(extra?.['sub'] ?? { clientId });
}

/**
 * Balancers ask under any name and without a token, and learn whether this process lives, and whether it can serve.
 * False for any other request.
 */
function answerProbe(
  request: IncomingMessage,
  response: ServerResponse,
  unready: GuardOptions['unready'],
): boolean {
  const path = pathOf(request);
  const isProbe = path === '/healthz' || path === '/readyz';
  if (!isProbe || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
  const problem = path === '/readyz' ? unready?.() : undefined;
  const text = problem === undefined ? 'ok\n' : `not ready: ${problem}\n`;
  response.writeHead(problem === undefined ? 200 : 503, {
    'Content-Type': 'text/plain',
    'Cache-Control': 'no-store',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(request.method === 'HEAD' ? undefined : text);
  return true;
}

function isRefusal(verdict: AuthInfo | Refusal): verdict is Refusal {
  return 'status' in verdict;
}

/** What is wrong with an `Authorization` header that lets nobody in. */
function faultOfCredentials(authorization: string | undefined): Refusal {
  if (isMalformed(authorization)) {
    const message = 'The Authorization header must be Bearer and one token';
    return { status: 400, error: 'invalid_request', message };
  }
  return bearerToken(authorization) === undefined
    ? { status: 401, message: 'A bearer token is needed' }
    : { status: 401, error: 'invalid_token', message: 'The bearer token is not valid' };
}

function refuseBearer(
  request: IncomingMessage,
  response: ServerResponse,
  resource: string | undefined,
  refusal: Refusal,
): void {
  if (refusal.status === 503) response.setHeader('Retry-After', RETRY_KEYS_SECONDS);
  else response.setHeader('WWW-Authenticate', challenge(resource, refusal));
  refuse(request, response, refusal.status, refusal.message);
}

/** Node takes the first of two, and what stands between us and the client may have looked at the second. */
function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  return SINGLE_HEADERS.find((header) => names.filter((name) => name === header.toLowerCase()).length > 1);
}

function pathOf({ url }: IncomingMessage): string {
  return (url ?? '').split('?', 1)[0] ?? '';
}

function refuseFull(
  request: IncomingMessage,
  response: ServerResponse,
  what: 'connections' | 'streams',
): void {
  response.setHeader('Retry-After', RETRY_FULL_SECONDS);
  refuse(request, response, 503, `Too many ${what}; try again later`);
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  response.write(body);
  endAfterRequest(request, response);
}
