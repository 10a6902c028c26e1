import { randomUUID } from 'node:crypto';
import type {
  AuthInfo,
  JSONRPCMessage,
  McpServer,
  McpServerFactory,
  RequestId,
  Server,
  WebStandardStreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/server';
import { isObject, type JsonObject } from '@rootward/core/platform';
import { ignore } from './ignore.js';
import type { SessionRecord } from './session-record.js';
import {
  changedFields,
  connectionFields,
  INITIALIZE,
  mergeFields,
  readConnection,
  SUBSCRIPTION,
  unusable,
} from './session-record.js';
import { SessionTransport, type SessionWatcher } from './session-transport.js';
import type { SharedIds } from './sharing/shared-ids.js';

/** What becomes of the messages of all sessions of a process. */
export interface SessionOwner {
  /** As in `SessionWatcher`. */
  received(live: LiveSession, message: JSONRPCMessage): boolean;
  answering(live: LiveSession): Promise<void> | undefined;
  answered(live: LiveSession): void;
  /** Runs something whose messages are not sent to the client. */
  replaying(act: () => Promise<void>): Promise<void>;
}

interface Opening {
  readonly factory: McpServerFactory;
  readonly request: Request;
  readonly authInfo: AuthInfo | undefined;
  readonly principal: string;
  readonly name: string;
  readonly ids: SharedIds | undefined;
  readonly transport: (session: LiveSession) => WebStandardStreamableHTTPServerTransportOptions;
  readonly owner: SessionOwner;
}

const SET_LEVEL = 'logging/setLevel';
const INITIALIZED = 'notifications/initialized';
/** Ids of messages that are replayed; no request of a client has one. */
const REPLAY_ID = 'rootward replay ';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/**
 * A session as one process serves it: a server and a transport of its own, and what can be kept of them. There may be
 * thousands, so it watches its transport itself: functions for each session would take half a kilobyte.
 */
export class LiveSession implements SessionWatcher {
  readonly principal: string;
  /** What a store calls it. */
  readonly name: string;
  readonly transport: SessionTransport;
  /** GET streams that are open; those that are shared with others need no server, and are not counted. */
  listening = 0;
  /** The record in the store as this process saw or wrote it last. */
  saved: SessionRecord | undefined;
  /** The store had a break since: it may have lost what was saved, and others may have written something else in its place. */
  isDoubtful = false;
  /** It was opened before, maybe elsewhere, and is in the store until it ends. */
  isRestored = false;
  #server: McpServer | Server | undefined;
  readonly #owner: SessionOwner;
  #turn: Promise<void> | undefined;
  /** What the client did that a new server has to be told: how it introduced itself, and whether it is ready. */
  #introduction: unknown;
  #isReady = false;
  /** The rest, by the name of its field. */
  #done: Map<string, unknown> | undefined;
  /** What counts once a request was answered. */
  #whenAnswered: Map<RequestId, () => void> | undefined;

  static async open(opening: Opening): Promise<LiveSession> {
    const session = new LiveSession(opening);
    const { factory, request, authInfo } = opening;
    session.#server = await factory({
      era: 'legacy',
      requestInfo: request,
      ...(authInfo !== undefined && { authInfo }),
    });
    return session;
  }

  private constructor({ principal, name, transport, ids, owner }: Opening) {
    this.principal = principal;
    this.name = name;
    this.#owner = owner;
    this.transport = new SessionTransport(transport(this), ids);
  }

  get id(): string | undefined {
    return this.transport.sessionId;
  }

  get isIdle(): boolean {
    return this.listening === 0 && !this.transport.isBusy;
  }

  async connect(): Promise<void> {
    await this.#server?.connect(this.transport);
    this.transport.watch(this);
  }

  received(message: JSONRPCMessage): boolean {
    this.#note(message);
    return this.#owner.received(this, message);
  }

  answering(message: JSONRPCMessage): Promise<void> | undefined {
    this.#settle(message);
    return isReplayed(message) ? undefined : this.#owner.answering(this);
  }

  answered(): void {
    this.#owner.answered(this);
  }

  /**
   * A stream counts until either side ends it. It is taken from the transport as soon as its client goes away: whoever
   * writes it out notices only with the next event, and until then the client could not come back.
   */
  listen({ signal }: Request, response: Response, onEnd: () => void): Response {
    if (response.body === null) return response;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const end = (): void => {
      this.listening -= 1;
      onEnd();
    };
    this.listening += 1;
    response.body.pipeTo(writable, { signal }).then(end, end);
    return new Response(readable, response);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  /** All that is worth keeping now. */
  fields(): JsonObject {
    const kept = this.transport.keeper?.keep();
    return {
      ...(this.#introduction !== undefined && { [INITIALIZE]: this.#introduction }),
      ...(this.#isReady && { [INITIALIZED]: true }),
      ...Object.fromEntries(this.#done ?? []),
      ...(kept === undefined ? {} : connectionFields(kept)),
    };
  }

  /** Tells a new server what the client did, as if it did it now. Closes it where that fails: it knows half of it. */
  async replay(id: string, record: SessionRecord, authInfo: AuthInfo | undefined): Promise<void> {
    this.isRestored = true;
    try {
      await this.inTurn(() =>
        this.#owner.replaying(async () => {
          await this.#tell(id, INITIALIZE, record.fields[INITIALIZE], authInfo);
          if (this.id === undefined) throw unusable();
          await this.#apply(record, authInfo);
        }),
      );
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Whether this process knows what is in the record, or more. Another record of the same turn was written by others
   * after the store had lost this one; where it may have lost something, turns say nothing.
   */
  knows({ turn, text }: SessionRecord): boolean {
    if (this.saved === undefined) return false;
    return this.saved.text === text || (this.saved.turn > turn && !this.isDoubtful);
  }

  /**
   * One after the other: what is known half-way through catching up must not be saved, as others would take what is
   * still missing for something that was taken away.
   */
  async inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const before = this.#turn ?? Promise.resolve();
    const result = before.then(act);
    this.#turn = result.then(ignore, ignore);
    return result;
  }

  /** Takes over what another process has saved since. Call it inside `inTurn()`. */
  async catchUp(record: SessionRecord, authInfo: AuthInfo | undefined): Promise<void> {
    if (!this.knows(record)) await this.reconcile(record, authInfo);
  }

  /** The same for what is in the store now, whatever this process knows. */
  async reconcile(record: SessionRecord, authInfo: AuthInfo | undefined): Promise<void> {
    if (this.saved?.text !== record.text) await this.#owner.replaying(() => this.#apply(record, authInfo));
    this.isDoubtful = false;
  }

  /** What changed here since this process saw the record last is not lost. */
  async #apply(record: SessionRecord, authInfo: AuthInfo | undefined): Promise<void> {
    const { id = '' } = this;
    const since = this.#commonWith(record);
    const merged = (): JsonObject => mergeFields(record.fields, changedFields(since, this.fields()));
    for (const [name, value] of changedFields(this.fields(), merged())) {
      if (name === INITIALIZED) await this.#notify(name, authInfo);
      else if (name === SET_LEVEL) await this.#tell(id, name, value, authInfo);
      else if (name.startsWith(SUBSCRIPTION)) {
        const method = value === undefined ? 'resources/unsubscribe' : 'resources/subscribe';
        await this.#tell(id, method, { uri: name.slice(SUBSCRIPTION.length) }, authInfo);
      }
    }
    // The connection merges the workspace itself: what it holds may change until the last moment.
    const { workspace } = readConnection(record.fields);
    await this.transport.keeper?.restore({ ...readConnection(merged()), workspace }, readConnection(since));
    this.saved = record;
  }

  /**
   * What the record and this process have in common. One that does not come after what was saved here was written after
   * the store had lost something: then both count as changed, so that nothing that one of them has taken back returns.
   */
  #commonWith(record: SessionRecord): JsonObject {
    if (this.saved === undefined) return {};
    if (record.turn > this.saved.turn && !this.isDoubtful) return this.saved.fields;
    const { roots = [] } = readConnection(this.fields()).workspace ?? {};
    const { consents = [] } = readConnection(record.fields).workspace ?? {};
    return connectionFields({ workspace: { roots, consents } });
  }

  async #tell(
    session: string,
    method: string,
    params: unknown,
    authInfo: AuthInfo | undefined,
  ): Promise<void> {
    const id = REPLAY_ID + randomUUID();
    const body = { jsonrpc: '2.0', method, id, ...(params !== undefined && { params }) };
    const headers = method === INITIALIZE ? HEADERS : { ...HEADERS, 'mcp-session-id': session };
    const request = new Request('http://localhost/', { method: 'POST', headers });
    const response = await this.transport.handleRequest(request, {
      parsedBody: body,
      ...(authInfo !== undefined && { authInfo }),
    });
    await response.text();
  }

  /** Without a request and a response of HTTP around it, which is a third of what a session takes to go on. */
  async #notify(method: string, authInfo: AuthInfo | undefined): Promise<void> {
    this.transport.onmessage?.({ jsonrpc: '2.0', method }, authInfo === undefined ? {} : { authInfo });
    await this.transport.keeper?.settled();
  }

  #note(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    const { method, params } = message;
    if (method === INITIALIZED) this.#isReady = true;
    if (!('id' in message)) return;
    const then = this.#effectOf(method, params);
    if (then !== undefined) (this.#whenAnswered ??= new Map()).set(message.id, then);
  }

  #effectOf(method: string, params: unknown): (() => void) | undefined {
    const uri = isObject(params) && typeof params['uri'] === 'string' ? params['uri'] : '';
    switch (method) {
      case INITIALIZE:
        return () => {
          this.#introduction = introductionOf(params);
        };
      case SET_LEVEL:
        return () => this.#keepDone(method, params);
      case 'resources/subscribe':
        return () => this.#keepDone(SUBSCRIPTION + uri, true);
      case 'resources/unsubscribe':
        return () => void this.#done?.delete(SUBSCRIPTION + uri);
      default:
        return undefined;
    }
  }

  #keepDone(field: string, value: unknown): void {
    (this.#done ??= new Map()).set(field, value);
  }

  #settle(message: JSONRPCMessage): void {
    if ('method' in message || message.id === undefined) return;
    const waiting = this.#whenAnswered;
    const then = waiting?.get(message.id);
    if (waiting?.delete(message.id) === true && waiting.size === 0) this.#whenAnswered = undefined;
    if ('result' in message) then?.();
  }
}

/** What servers know a client by. */
function introductionOf(params: unknown): JsonObject {
  const { protocolVersion, capabilities, clientInfo } = isObject(params) ? params : {};
  return { protocolVersion, capabilities, clientInfo };
}

function isReplayed(message: JSONRPCMessage): boolean {
  return 'id' in message && typeof message.id === 'string' && message.id.startsWith(REPLAY_ID);
}
