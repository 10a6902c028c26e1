import type { Snapshot } from '@rootward/core';
import { LEGACY_REVISION } from '../wire/envelope.js';
import type { CallRoots } from '../roots/call-roots.js';
import { LegacyRoots } from '../roots/legacy-roots.js';
import { fail, lostCall, NO_ROOTS, refuse } from '../session/answers.js';
import { declarationOf, INTRODUCTORY } from '../session/introduction.js';
import { Lane } from '../session/lane.js';
import { Questions, type Outer } from '../session/outer.js';
import type { SessionOptions } from '../session/session-options.js';
import type { RawMessage } from '../wire/raw-message.js';
import type { SharedServer } from './shared-server.js';
import type { Sharer, SharedServers } from './shared-servers.js';

const INTERNAL_ERROR = -32_603;
const INVALID_REQUEST = -32_600;

/** One client among those that share servers: it has roots of its own, and each call goes to the server for them. */
export class SharedSession {
  readonly #client: Outer;
  readonly #principal: string;
  readonly #servers: SharedServers;
  readonly #questions: Questions;
  readonly #opening: Promise<CallRoots>;
  readonly #lane: Lane;
  #sharer: Sharer | undefined;
  #server: SharedServer | undefined;
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
    this.#opening = LegacyRoots.open(prepared, 'http', port, () => undefined);
    this.#opening.catch((error: unknown) => log.warn('workspace not opened', { error: String(error) }));
  }

  receive(message: RawMessage): void {
    if (this.#closed) return;
    switch (message.kind) {
      case 'answer':
        this.#questions.settle(message);
        return;
      case 'notification':
        this.#lane.add(() => this.#notified(message));
        return;
      case 'request': {
        const { id = 'null', method = '' } = message;
        if (method === 'initialize') void this.#initialize(message, id);
        else if (this.#sharer === undefined) {
          this.#client.send(
            fail(id, INVALID_REQUEST, 'Cannot serve the request: the client has not introduced itself'),
            id,
          );
        } else if (INTRODUCTORY.has(method)) void this.#serve(message, id, method);
        else this.#lane.add(() => this.#serve(message, id, method));
      }
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#server?.leave(this.#client);
    (await this.#opening).dispose();
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
      this.#client.send((await server.introduction).withId(id), id);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#client.send(fail(id, INTERNAL_ERROR, `Cannot start the server: ${reason}`), id);
    }
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
        this.#server?.cancel(message, this.#client);
        return;
      case 'notifications/progress':
        return;
      default:
        this.#server?.notify(message);
    }
  }

  async #serve(message: RawMessage, id: string, method: string): Promise<void> {
    const sharer = this.#sharer;
    if (sharer === undefined) return;
    try {
      const connection = await this.#opening;
      const isIntroductory = INTRODUCTORY.has(method);
      const roots = isIntroductory
        ? undefined
        : await connection.forCall(message.value('params', '_meta'), true);
      if (roots?.length === 0) {
        this.#client.send(refuse(id, method, NO_ROOTS), id);
        return;
      }
      const snapshot = { ...connection.snapshot(), roots: roots ?? [] };
      const server = isIntroductory
        ? (this.#server ?? this.#use(sharer, snapshot))
        : this.#use(sharer, snapshot);
      await server.introduction;
      if (!this.#closed) server.request(message, this.#client);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#client.send(refuse(id, method, lostCall(reason)), id);
    }
  }

  /** The server for these roots, which this client hears of from now on. */
  #use(sharer: Sharer, snapshot: Snapshot): SharedServer {
    const server = this.#servers.for(snapshot, sharer);
    if (server !== this.#server) {
      this.#server?.leave(this.#client);
      this.#server = server;
      if (!this.#closed) server.join(this.#client);
    }
    return server;
  }
}
