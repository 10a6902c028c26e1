import type { ClientInfo, Snapshot } from '@rootward/core';
import { Deferred } from '@rootward/core/platform';
import { FixedRoots } from '../roots/fixed-roots.js';
import { fail, lostCall, refuse } from '../session/answers.js';
import type { Outer } from '../session/outer.js';
import { Session } from '../session/session.js';
import type { SessionOptions } from '../session/session-options.js';
import { RawMessage, type Edit } from '../wire/raw-message.js';

interface Route {
  readonly client: Outer;
  /** As the client wrote it. */
  readonly id: string;
  readonly method: string;
  /** The progress token of the client, as written. */
  readonly token: string | undefined;
}

const INTRODUCE = '"introduce"';
const METHOD_NOT_FOUND = -32_601;
const UPDATED = 'notifications/resources/updated';

/** One server that several clients use. Nobody can be asked anything: a question does not say whose call it is about. */
export class SharedServer {
  readonly session: Session;
  readonly #introduced = new Deferred<RawMessage>();
  readonly #clients = new Set<Outer>();
  readonly #routes = new Map<string, Route>();
  readonly #subscribers = new Map<string, Set<Outer>>();
  #nextId = 1;
  #usedAt: number = Date.now();
  #endReason: string | undefined;

  /** Without roots it is only there to tell what it is. */
  constructor(
    options: Omit<SessionOptions, 'roots'>,
    snapshot: Snapshot,
    protocolVersion: string,
    clientInfo: ClientInfo | undefined,
  ) {
    const outer: Outer = { send: (pieces) => this.#fromServer(Buffer.concat([...pieces])) };
    this.session = new Session(outer, { ...options, roots: new FixedRoots(snapshot) });
    this.#introduced.promise.catch(() => undefined);
    const params = {
      protocolVersion,
      capabilities: {},
      clientInfo: { version: '0', name: 'unknown', ...clientInfo },
    };
    this.session.receive(RawMessage.from({ id: JSON.parse(INTRODUCE), method: 'initialize', params }));
  }

  /** What it answered to `initialize`. Rejects where it cannot be started. */
  get introduction(): Promise<RawMessage> {
    return this.#introduced.promise;
  }

  get isUsed(): boolean {
    return this.#clients.size > 0 || this.#routes.size > 0 || this.session.busy;
  }

  /** When its last request began or ended. */
  get usedAt(): number {
    return this.#usedAt;
  }

  /** Whoever used it needs another one. */
  get isEnded(): boolean {
    return this.#endReason !== undefined;
  }

  /** Ends it; calls under way are told why. */
  async end(reason: string): Promise<void> {
    this.#endReason = reason;
    const routes = [...this.#routes.values()];
    this.#routes.clear();
    for (const route of routes) tellLost(route, reason);
    await this.session.close();
  }

  join(client: Outer): void {
    this.#clients.add(client);
  }

  /** The client uses another server from now on; calls under way may finish. */
  leave(client: Outer): void {
    this.#clients.delete(client);
    for (const [uri, clients] of this.#subscribers)
      if (clients.delete(client) && clients.size === 0) this.#forget(uri);
  }

  /** Gives up the calls of a client; a reason is told, where it still waits. */
  giveUp(client: Outer, reason?: string): void {
    for (const [own, route] of this.#routes) {
      if (route.client !== client) continue;
      this.#cancel(own, route);
      if (reason !== undefined) tellLost(route, reason);
    }
  }

  request(message: RawMessage, client: Outer): void {
    const { id = 'null', method = '' } = message;
    if (this.#endReason !== undefined) {
      tellLost({ client, id, method }, this.#endReason);
      return;
    }
    this.#usedAt = Date.now();
    const uri = message.raw('params', 'uri') ?? '';
    if (method === 'resources/subscribe') this.#subscribersOf(uri).add(client);
    if (method === 'resources/unsubscribe') {
      const others = this.#subscribersOf(uri);
      others.delete(client);
      if (others.size > 0) {
        client.send(RawMessage.from({ id: 0, result: {} }).withId(id), id);
        return;
      }
      this.#subscribers.delete(uri);
    }
    const own = `"${String(this.#nextId++)}"`;
    const span = message.span('params', '_meta', 'progressToken');
    const token = span === undefined ? undefined : message.raw('params', '_meta', 'progressToken');
    this.#routes.set(own, { client, id, method, token });
    this.#toServer(message, [
      ...message.set(['id'], own),
      ...(span === undefined ? [] : [{ ...span, text: own }]),
    ]);
  }

  cancel(message: RawMessage, client: Outer): void {
    const id = message.raw('params', 'requestId');
    for (const [own, route] of this.#routes)
      if (route.client === client && route.id === id) this.#cancel(own, route);
  }

  notify(message: RawMessage): void {
    this.session.receive(message);
  }

  #cancel(own: string, { client }: Route): void {
    this.#routes.delete(own);
    const reason = this.#clients.has(client) ? 'the client cancelled it' : 'the client has left';
    const params = { requestId: JSON.parse(own) as unknown, reason };
    this.session.receive(RawMessage.from({ method: 'notifications/cancelled', params }));
  }

  #forget(uri: string): void {
    this.#subscribers.delete(uri);
    const params = { uri: JSON.parse(uri) as unknown };
    this.session.receive(
      RawMessage.from({ id: `own-${String(this.#nextId++)}`, method: 'resources/unsubscribe', params }),
    );
  }

  #subscribersOf(uri: string): Set<Outer> {
    const known = this.#subscribers.get(uri) ?? new Set();
    this.#subscribers.set(uri, known);
    return known;
  }

  #toServer(message: RawMessage, edits: readonly Edit[]): void {
    const passed = RawMessage.read(Buffer.concat([...message.edited(edits)]));
    if (passed !== undefined) this.session.receive(passed);
  }

  #fromServer(bytes: Buffer): void {
    const message = RawMessage.read(bytes);
    if (message === undefined) return;
    switch (message.kind) {
      case 'answer':
        this.#answered(message);
        return;
      case 'request': {
        const { id = 'null', method = '' } = message;
        const answer =
          method === 'ping'
            ? RawMessage.from({ id: 0, result: {} }).withId(id)
            : fail(id, METHOD_NOT_FOUND, `Cannot ask ${method}: this server is shared by several clients`);
        const read = RawMessage.read(Buffer.concat([...answer]));
        if (read !== undefined) this.session.receive(read);
        return;
      }
      case 'notification':
        this.#notified(message);
    }
  }

  #answered(message: RawMessage): void {
    const own = message.id ?? '';
    if (own === INTRODUCE) {
      if (message.isError)
        this.#introduced.resolve(Promise.reject(new Error(String(message.value('error', 'message')))));
      else {
        this.session.receive(RawMessage.from({ method: 'notifications/initialized' }));
        this.#introduced.resolve(message);
      }
      return;
    }
    const route = this.#routes.get(own);
    if (route === undefined) return;
    this.#routes.delete(own);
    this.#usedAt = Date.now();
    route.client.send(message.withId(route.id), route.id);
  }

  #notified(message: RawMessage): void {
    const { method } = message;
    if (method === 'notifications/progress') {
      const route = this.#routes.get(message.raw('params', 'progressToken') ?? '');
      if (route?.token === undefined) return;
      route.client.send(message.edited(message.set(['params', 'progressToken'], route.token)), route.id);
      return;
    }
    if (method === 'notifications/cancelled') return;
    const hearers =
      method === UPDATED ? (this.#subscribers.get(message.raw('params', 'uri') ?? '') ?? []) : this.#clients;
    for (const client of hearers) client.send([message.bytes]);
  }
}

function tellLost({ client, id, method }: Pick<Route, 'client' | 'id' | 'method'>, reason: string): void {
  client.send(refuse(id, method, lostCall(reason)), id);
}
