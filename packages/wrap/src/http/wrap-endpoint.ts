import type { IncomingMessage, ServerResponse } from 'node:http';
import { endAfterRequest } from '@rootward/mcp/host';
import type { SessionOptions } from '../session/session-options.js';
import { ambiguity, RawMessage } from '../wire/raw-message.js';
import { scanArray } from '../wire/scan-json.js';
import { Exchange } from './exchange.js';
import { LegacyClient } from './legacy-client.js';
import { chooseToEnd } from '../inner/make-room.js';
import { ModernClients, RETRY } from './modern-clients.js';
import { REVISIONS } from '../wire/envelope.js';
import { claimsModern, headerFault, textOf } from './modern-headers.js';
import { SharedServers } from './shared-servers.js';

/** How servers are wrapped over HTTP. */
export interface WrapEndpointOptions extends Omit<
  SessionOptions,
  'transport' | 'era' | 'roots' | 'flow' | 'principal'
> {
  readonly maxBodyBytes?: number;
  /** Whether sessions of one principal with the same roots use one server, which then cannot ask them anything. */
  readonly share?: boolean;
}

const SESSION_HEADER = 'mcp-session-id';
const VERSION_HEADER = 'mcp-protocol-version';
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Each may have a server of its own. */
const MAX_SESSIONS = 100;
const IDLE_MS = 30 * 60_000;
const SWEEP_MS = 60_000;
const BAD_REQUEST = -32_000;
const NOT_FOUND = -32_001;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * The MCP endpoint of a wrapped server over Streamable HTTP, both eras: a server per session of a legacy client (or a
 * shared one), a server per root set and principal for modern ones. Does NOT check Host, Origin or tokens: put that in front, and say
 * who asks as `principal`.
 */
export class WrapEndpoint {
  readonly #options: WrapEndpointOptions;
  /** By their session. */
  readonly #clients = new Map<string, LegacyClient>();
  readonly #modern: ModernClients;
  readonly #shared: SharedServers | undefined;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: WrapEndpointOptions) {
    this.#options = options;
    this.#modern = new ModernClients({ ...options, transport: 'http' });
    if (options.share === true)
      this.#shared = new SharedServers({ ...options, transport: 'http', era: 'legacy' });
    this.#sweep = setInterval(() => this.#endIdle(), SWEEP_MS);
    this.#sweep.unref();
  }

  /** Serves one request to the endpoint. */
  async handle(request: IncomingMessage, response: ServerResponse, principal: string): Promise<void> {
    const id = request.headers[SESSION_HEADER];
    const known = typeof id === 'string' ? this.#clients.get(id) : undefined;
    const client = known?.principal === principal ? known : undefined;
    if (typeof id === 'string' && client === undefined) {
      refuseHttp(response, 404, NOT_FOUND, 'Session not found');
      return;
    }
    const revision = textOf(request.headers, VERSION_HEADER);
    if (client !== undefined && revision !== undefined && !REVISIONS.has(revision)) {
      refuseHttp(response, 400, BAD_REQUEST, `Bad Request: Unsupported protocol version: ${revision}`);
      return;
    }
    if (request.method === 'POST') {
      await this.#post(request, response, principal, client);
    } else if (client === undefined) {
      refuseHttp(response, 400, BAD_REQUEST, 'Bad Request: Mcp-Session-Id header is required');
    } else if (request.method === 'GET') {
      this.#listen(response, client);
    } else {
      this.#end(client);
      response.writeHead(200).end();
    }
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
    this.#modern.close();
    void this.#shared?.close();
  }

  async #post(
    request: IncomingMessage,
    response: ServerResponse,
    principal: string,
    client: LegacyClient | undefined,
  ): Promise<void> {
    const body = await readBody(request, this.#options.maxBodyBytes ?? MAX_BODY_BYTES);
    if (body === undefined) {
      response.setHeader('Connection', 'close');
      refuseHttp(response, 413, BAD_REQUEST, 'The request body is too large', { unread: request });
      return;
    }
    const single = readMessage(body);
    const messages = single === undefined ? readBatch(body) : [single];
    if (messages === undefined) {
      const member = RawMessage.ambiguousMember(body);
      if (member === undefined) refuseHttp(response, 400, PARSE_ERROR, 'Parse error: not JSON-RPC 2.0');
      else refuseHttp(response, 400, INVALID_REQUEST, `Invalid request: ${ambiguity(member)}`);
      return;
    }
    const requests = messages.filter(({ kind }) => kind === 'request').length;
    if (client !== undefined) {
      if (requests === 0) response.writeHead(202).end();
      client.receive(messages, requests === 0 ? undefined : new Exchange(response, requests));
    } else if (single?.kind === 'request' && claimsModern(request.headers, single)) {
      const fault = headerFault(request.headers, single);
      if (fault !== undefined) {
        refuseHttp(response, 400, fault.code, fault.message, { id: single.id, data: fault.data });
        return;
      }
      await this.#modern.receive(single, new Exchange(response, 1), principal, request.headers);
    } else if (single?.kind === 'request' && single.method === 'initialize') {
      this.#open(response, principal, single);
    } else if (requests === 0) {
      response.writeHead(202).end();
    } else {
      refuseHttp(response, 400, BAD_REQUEST, 'Bad Request: Mcp-Session-Id header is required');
    }
  }

  #open(response: ServerResponse, principal: string, message: RawMessage): void {
    // Nobody would ever use it.
    if (response.destroyed || response.closed) return;
    if (!this.#makeRoom(principal)) {
      for (const [name, value] of Object.entries(RETRY)) response.setHeader(name, value);
      refuseHttp(response, 503, BAD_REQUEST, 'Too many sessions');
      return;
    }
    const client = new LegacyClient(
      principal,
      { ...this.#options, transport: 'http', era: 'legacy' },
      this.#shared,
    );
    this.#clients.set(client.id, client);
    const exchange = new Exchange(response, 1, { [SESSION_HEADER]: client.id });
    exchange.onClose(() => {
      // Whoever left before the answer will not use the session, which has a server.
      if (!response.writableFinished) this.#end(client);
    });
    client.receive([message], exchange);
  }

  #listen(response: ServerResponse, client: LegacyClient): void {
    if (client.isListening) {
      refuseHttp(response, 409, BAD_REQUEST, 'Conflict: there is a stream already');
      return;
    }
    client.listen(new Exchange(response, 0));
  }

  #endIdle(): void {
    const limit = Date.now() - IDLE_MS;
    for (const client of this.#clients.values())
      if (!client.isBusy && client.usedAt <= limit) this.#end(client);
  }

  #makeRoom(principal: string): boolean {
    if (this.#clients.size < MAX_SESSIONS) return true;
    const client = chooseToEnd(this.#clients.values(), principal);
    if (client !== undefined) this.#end(client);
    return client !== undefined;
  }

  #end(client: LegacyClient): void {
    this.#clients.delete(client.id);
    client.close();
  }
}

/** Undefined where it is larger than allowed; the rest is then still to come. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not destroy the request: nobody would read the rest, and the connection would be reset.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function readMessage(body: Buffer): RawMessage | undefined {
  const message = RawMessage.read(body);
  const line = oneLine(body);
  return message === undefined || line === body ? message : RawMessage.read(line);
}

/** Undefined unless all of it is messages. No part of a batch that is not served is left out in silence. */
function readBatch(body: Buffer): readonly RawMessage[] | undefined {
  const batch = scanArray(body)?.map(({ start, end }) => readMessage(body.subarray(start, end))) ?? [];
  const messages = batch.flatMap((each) => each ?? []);
  return messages.length === 0 || messages.length < batch.length ? undefined : messages;
}

/**
 * Over HTTP a message may have line breaks between its parts; over a pipe each would end it. Only for what is valid JSON:
 * a line break inside a string is not.
 */
function oneLine(bytes: Buffer): Buffer {
  if (!bytes.includes(0x0a) && !bytes.includes(0x0d)) return bytes;
  return Buffer.from(bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)));
}

function refuseHttp(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  {
    id,
    data,
    unread,
  }: {
    readonly id?: string | undefined;
    readonly data?: object | undefined;
    /** The request, where not all of it was read. */
    readonly unread?: IncomingMessage;
  } = {},
): void {
  const error = JSON.stringify({ code, message, ...(data !== undefined && { data }) });
  const body = `{"jsonrpc":"2.0","error":${error},"id":${id ?? 'null'}}`;
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  response.writeHead(status, headers).write(body);
  if (unread === undefined) response.end();
  else endAfterRequest(unread, response);
}
