import type { Root, Snapshot } from '@rootward/core';
import { LEGACY_REVISION } from '../wire/envelope.js';
import type { CallRoots } from '../roots/call-roots.js';
import { LegacyRoots } from '../roots/legacy-roots.js';
import { fail, NO_ROOTS, refusalOf, refuse } from '../session/answers.js';
import { declarationOf, INTRODUCTORY } from '../session/introduction.js';
import { Lane } from '../session/session.js';
import { Questions, type Outer } from '../session/outer.js';
import type { SessionOptions } from '../session/session-options.js';
import { CallerTool } from '../session/caller-tool.js';
import { isSameRoots } from '../session/side-servers.js';
import { RawMessage } from '../wire/raw-message.js';
import type { SharedServer } from './shared-server.js';
import type { Sharer, SharedServers } from './shared-servers.js';

const INTERNAL_ERROR = -32_603;
const INVALID_REQUEST = -32_600;

const REMOVED = 'a folder was taken away while the call was under way';

/** One client among those that share servers: it has roots of its own, and each call goes to the server for them. */
export class SharedSession implements Outer {
  readonly #client: Outer;
  readonly #principal: string;
  readonly #servers: SharedServers;
  readonly #questions: Questions;
  readonly #opening: Promise<CallRoots>;
  readonly #lane: Lane;
  /** Requests that a server works on: what the client said with them. */
  readonly #running = new Map<string, { readonly method: string; readonly meta: unknown }>();
  #sharer: Sharer | undefined;
  #callerTool: CallerTool | undefined;
  #server: SharedServer | undefined;
  /** Servers for calls that work in other folders than the connection does. */
  readonly #sides = new Set<SharedServer>();
  #closed = false;

  constructor(
    client: Outer,
    principal: string,
    servers: SharedServers,
    { prepared, log }: Pick<SessionOptions, 'prepared' | 'log'>,
  ) {
    this.#client = client;
    this.#principal = principal;
    this.#servers = servers;
    this.#questions = new Questions(client);
    this.#lane = new Lane((error) => log.debug('message not passed on', { error: String(error) }));
    const port = {
      ask: (signal: AbortSignal): Promise<unknown> => this.#questions.ask('roots/list', signal),
    };
    this.#opening = LegacyRoots.open(prepared, 'http', port, (_, isRemoval) => {
      if (isRemoval) for (const server of this.#used()) server.giveUp(this, REMOVED);
    });
    this.#opening.catch((error: unknown) => log.warn('workspace not opened', { error: String(error) }));
  }

  receive(message: RawMessage): void {
    if (this.#closed) return;
    switch (message.kind) {
      case 'answer':
        this.#questions.settle(message);
        return;
      case 'notification':
        if (this.#isAboutRunning(message)) this.#cancel(message);
        else this.#lane.add(() => this.#notified(message));
        return;
      case 'request': {
        const { id = 'null', method = '' } = message;
        if (method === 'initialize') void this.#initialize(message, id);
        else if (this.#sharer === undefined) {
          this.#client.send(
            fail(id, INVALID_REQUEST, 'Cannot serve the request: the client has not introduced itself'),
            id,
          );
        } else if (this.#callerTool?.serve(message, this.#client) === true) return;
        else if (INTRODUCTORY.has(method)) void this.#serve(message, id, method);
        else this.#lane.add(() => this.#serve(message, id, method));
      }
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const server of this.#used()) {
      server.giveUp(this);
      server.leave(this);
    }
    (await this.#opening).dispose();
  }

  /** Something of a server for the client. */
  send(pieces: readonly Buffer[], related?: string): void {
    const running = related === undefined ? undefined : this.#running.get(related);
    const message = running === undefined ? undefined : RawMessage.read(Buffer.concat([...pieces]));
    if (message?.kind !== 'answer' || related === undefined || running === undefined) {
      this.#client.send(pieces, related);
      return;
    }
    this.#end(related);
    const edits = running.method === 'tools/list' ? (this.#callerTool?.edits(message) ?? []) : [];
    this.#client.send(message.edited(edits), related);
  }

  async #initialize(message: RawMessage, id: string): Promise<void> {
    try {
      const connection = await this.#opening;
      const declaration = declarationOf(message);
      const version: unknown = message.value('params', 'protocolVersion');
      const sharer: Sharer = {
        principal: this.#principal,
        protocolVersion: typeof version === 'string' ? version : LEGACY_REVISION,
        clientInfo: declaration.clientInfo,
      };
      const { mustAsk } = connection.declare(declaration);
      const snapshot = connection.snapshot();
      const server = this.#use(sharer, mustAsk ? { ...snapshot, roots: [] } : snapshot);
      this.#sharer = sharer;
      this.#callerTool = CallerTool.wantedBy(declaration.clientInfo?.name, connection.callers);
      this.#client.send((await server.introduction).withId(id), id);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#client.send(fail(id, INTERNAL_ERROR, `Cannot start the server: ${reason}`), id);
    }
  }

  /** A call has its answer. */
  #end(id: string): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    void this.#opening.then(({ callers }) => callers?.end(running?.meta));
  }

  async #notified(message: RawMessage): Promise<void> {
    switch (message.method ?? '') {
      case 'notifications/initialized':
        // Asked for inside its calls: only there is a stream that can carry the question for sure.
        (await this.#opening).begin().catch(() => undefined);
        return;
      case 'notifications/roots/list_changed':
        (await this.#opening).changed();
        return;
      case 'notifications/cancelled':
        this.#cancel(message);
        return;
      case 'notifications/progress':
        return;
      default:
        this.#server?.notify(message);
    }
  }

  /** Whether a call is taken back that a server works on, which must not wait for those that are still to be passed on. */
  #isAboutRunning(message: RawMessage): boolean {
    const id = message.raw('params', 'requestId') ?? '';
    return message.method === 'notifications/cancelled' && this.#running.has(id);
  }

  #cancel(message: RawMessage): void {
    for (const server of this.#used()) server.cancel(message, this);
    this.#end(message.raw('params', 'requestId') ?? '');
  }

  async #serve(message: RawMessage, id: string, method: string): Promise<void> {
    const sharer = this.#sharer;
    if (sharer === undefined) return;
    try {
      const connection = await this.#opening;
      const isIntroductory = INTRODUCTORY.has(method);
      const meta: unknown = message.value('params', '_meta');
      const roots = isIntroductory ? undefined : await connection.forCall(meta);
      if (roots?.length === 0) {
        this.#client.send(refuse(id, method, NO_ROOTS), id);
        return;
      }
      const snapshot = { ...connection.snapshot(), roots: roots ?? [] };
      const server = this.#serverFor(sharer, snapshot, connection.current(), isIntroductory);
      await server.introduction;
      if (this.#closed) return;
      this.#running.set(id, { method, meta });
      server.request(message, this);
    } catch (error) {
      this.#client.send(refuse(id, method, refusalOf(error)), id);
    }
  }

  #serverFor(
    sharer: Sharer,
    snapshot: Snapshot,
    current: readonly Root[],
    isIntroductory: boolean,
  ): SharedServer {
    if (isIntroductory && this.#server?.isEnded === false) return this.#server;
    if (isIntroductory || isSameRoots(snapshot.roots, current)) return this.#use(sharer, snapshot);
    const side = this.#servers.for(snapshot, sharer);
    if (side !== this.#server) this.#addSide(side);
    return side;
  }

  #addSide(side: SharedServer): void {
    for (const each of this.#sides) if (each.isEnded) this.#sides.delete(each);
    this.#sides.add(side);
  }

  #used(): readonly SharedServer[] {
    return [...(this.#server === undefined ? [] : [this.#server]), ...this.#sides];
  }

  /** The server for these roots, which this client hears of from now on. */
  #use(sharer: Sharer, snapshot: Snapshot): SharedServer {
    const server = this.#servers.for(snapshot, sharer);
    if (server !== this.#server) {
      this.#server?.leave(this);
      // Calls under way there may finish.
      if (this.#server !== undefined) this.#addSide(this.#server);
      this.#sides.delete(server);
      this.#server = server;
      if (!this.#closed) server.join(this);
    }
    return server;
  }
}
