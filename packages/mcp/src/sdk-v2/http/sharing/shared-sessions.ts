import { randomBytes } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Clock, Disposable } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import { keyDigest, type SessionStore } from '../../../store/session-store.js';
import { storedFields, storedText } from '../../../store/stored-value.js';
import { EventLog } from './event-log.js';
import { SharedIds } from './shared-ids.js';
import { SignsOfLife } from './signs-of-life.js';
import { StreamReader } from './stream-reader.js';

/** What the processes tell each other about a session. */
export type Note =
  /** A message of the client that another process is waiting for. */
  | { readonly kind: 'message'; readonly session: string; readonly message: JSONRPCMessage }
  /** There is news on the stream that belongs to no request. */
  | { readonly kind: 'news'; readonly session: string }
  /** The client listens elsewhere now. */
  | { readonly kind: 'listening'; readonly session: string }
  | { readonly kind: 'ended'; readonly session: string };

const INSTANCE_BYTES = 9;
const CHANNEL = 'sessions';

interface SharedOptions {
  readonly ttl: number;
  readonly clock: Clock;
  readonly onNote: (note: Note) => void;
  /** Notes may have been missed. */
  readonly onMissed: () => void;
  readonly onBeat: () => void;
  readonly onerror: (error: unknown) => void;
}

/** The sessions of all processes that share a store, as one of these processes sees them. */
export class SharedSessions {
  readonly instance: string = randomBytes(INSTANCE_BYTES).toString('base64url');
  readonly ids: SharedIds = new SharedIds(this.instance);
  readonly events: EventLog;
  readonly reader: StreamReader;
  readonly #store: SessionStore;
  readonly #options: SharedOptions;
  readonly #signs: SignsOfLife;
  readonly #subscriptions: readonly Disposable[];
  #started: Promise<void> | undefined;

  constructor(store: SessionStore, options: SharedOptions) {
    this.#store = store;
    this.#options = options;
    const { ttl, clock, onBeat, onerror } = options;
    this.#signs = new SignsOfLife(store, this.instance, {
      clock,
      onBeat: () => {
        this.events.beat();
        onBeat();
      },
    });
    this.events = new EventLog(store, {
      instance: this.instance,
      ttl,
      clock,
      announce: (session) => this.tell({ kind: 'news', session }),
      onerror,
    });
    this.reader = new StreamReader(store, (instance) => this.#signs.isAlive(instance));
    const hear = (text: string | undefined): void => this.#hear(text);
    this.#subscriptions = [CHANNEL, `${CHANNEL}:${this.instance}`].map((name) => store.subscribe(name, hear));
  }

  /** What a session is called in the store. Without the principal nobody finds it. */
  nameOf(principal: string, id: string): string {
    return `${keyDigest(principal)}:${keyDigest(id)}`;
  }

  /** The record of a session, which is then kept for as long as an idle one is. */
  async read(session: string): Promise<string | undefined> {
    await (this.#started ??= this.#start());
    return this.#store.read(`session:${session}`, this.#options.ttl);
  }

  replace(session: string, before: string | undefined, after: string | undefined): Promise<boolean> {
    return this.#store.replace(`session:${session}`, before, after, this.#options.ttl);
  }

  /** Ends a session everywhere. */
  async remove(session: string, text: string): Promise<void> {
    for (let known: string | undefined = text; known !== undefined; known = await this.read(session)) {
      if (await this.replace(session, known, undefined)) break;
    }
    this.tell({ kind: 'ended', session });
  }

  /** Tells one process, or all others. */
  tell(note: Note, instance?: string): void {
    this.#publish(note, instance).catch(this.#options.onerror);
  }

  /** The same, for what must not be lost without a word. */
  async pass(note: Note, instance: string | undefined): Promise<void> {
    await this.#publish(note, instance);
  }

  async close(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    await this.events.close();
    await this.#signs.close();
  }

  async #publish(note: Note, instance: string | undefined): Promise<void> {
    const channel = instance === undefined ? CHANNEL : `${CHANNEL}:${instance}`;
    await this.#store.publish(channel, storedText({ from: this.instance, note }));
  }

  async #start(): Promise<void> {
    try {
      await this.#signs.start();
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
  }

  #hear(text: string | undefined): void {
    if (text === undefined) {
      this.#signs.giveNow();
      this.#options.onMissed();
      return;
    }
    try {
      const { from, note } = storedFields(text);
      const isOwn = from === this.instance && isObject(note) && note['kind'] !== 'news';
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of this version, so written above
      if (!isOwn && isObject(note)) this.#options.onNote(note as unknown as Note);
    } catch (error) {
      this.#options.onerror(error);
    }
  }
}
