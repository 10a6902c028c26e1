import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Clock } from '@rootward/core';
import { RootwardMcpError } from '../../error.js';
import type { SessionStore } from '../../store/session-store.js';
import { Bell } from './sharing/bell.js';
import { eventStreamResponse } from './sharing/event-stream.js';
import { isStandalone } from './sharing/log-lines.js';
import { ignore } from './ignore.js';
import type { LiveSession } from './live-session.js';
import { sessionNotFound, streamOver, unknownEvent } from './responses.js';
import {
  changedFields,
  makeRecord,
  readRecord,
  requireStorable,
  SUBSCRIPTION,
  type SessionRecord,
} from './session-record.js';
import { SharedIds } from './sharing/shared-ids.js';
import { SharedSessions, type Note } from './sharing/shared-sessions.js';
import { StandingStreams, type Listener } from './sharing/standing-streams.js';
import { WakeQueue } from './sharing/wake-queue.js';

interface SharingOptions {
  readonly ttl: number;
  readonly clock: Clock;
  readonly keepAliveMs: number | undefined;
  readonly end: (session: LiveSession) => void;
  /** A session was removed from the store, and is found by no request any more. */
  readonly onLost: (session: LiveSession) => void;
  readonly onerror: (error: unknown) => void;
}

const MAX_ATTEMPTS = 10;
/** How many times a session in use is prolonged within the time after which it would expire. */
const TOUCHES = 3;

/** What becomes of the sessions of this process when other processes serve them, too. */
export class Sharing {
  readonly #store: SessionStore;
  readonly #shared: SharedSessions;
  readonly #options: SharingOptions;
  /** The sessions that this process serves, by what the store calls them. */
  readonly #open = new Map<string, LiveSession>();
  readonly #streams = new StandingStreams();
  readonly #asleep: WakeQueue;
  /** When the time of a session in the store was last prolonged because it is in use. */
  readonly #touched = new Map<string, number>();

  constructor(store: SessionStore, options: SharingOptions) {
    this.#store = store;
    this.#options = options;
    const { ttl, clock, onerror } = options;
    this.#asleep = new WakeQueue(clock);
    this.#shared = new SharedSessions(store, {
      ttl,
      clock,
      onerror,
      onNote: (note) => this.#hear(note),
      onMissed: () => {
        // Also that a session has ended: the next beat looks for each.
        this.#touched.clear();
        this.#streams.ringAll();
        for (const live of this.#open.values()) live.isDoubtful = true;
      },
      onBeat: () => this.#touchOpen(),
    });
  }

  get ids(): SharedIds {
    return this.#shared.ids;
  }

  nameOf(principal: string, id: string): string {
    return this.#shared.nameOf(principal, id);
  }

  eventStore(name: string): EventStore {
    return this.#shared.events.storeFor(name);
  }

  replaying(act: () => Promise<void>): Promise<void> {
    return this.#shared.events.replay(act);
  }

  /** Throws `store-unavailable`. */
  async requireReady(): Promise<void> {
    await this.#store.read('ready');
  }

  /** Throws `store-unavailable` and `store-invalid`. */
  async read(name: string): Promise<SessionRecord | undefined> {
    const text = await this.#shared.read(name);
    return text === undefined ? undefined : readRecord(text);
  }

  async remove({ name, saved }: LiveSession): Promise<void> {
    this.endStreams(name);
    if (saved !== undefined) await this.#shared.remove(name, saved.text);
    // One may have been opened meanwhile.
    this.endStreams(name);
  }

  /** Whether a client listens here to a session. */
  isHeard(name: string): boolean {
    return this.#streams.has(name);
  }

  endStreams(name: string): void {
    this.#shared.events.end(name);
    this.#asleep.remove(name);
    this.#streams.end(name);
  }

  /** The same for all that this is true of. */
  endStreamsWhere(isOver: (listener: Listener) => boolean): void {
    this.#streams.endWhere(isOver);
  }

  /** The session is closed here. */
  forget(live: LiveSession): void {
    if (this.#open.get(live.name) !== live) return;
    this.#open.delete(live.name);
    this.#shared.events.forget(live.name);
  }

  /** The session is served here from now on. */
  opened(live: LiveSession): void {
    this.#asleep.remove(live.name);
    this.#open.set(live.name, live);
  }

  /** An answer goes out when the others know what they need. */
  answering(live: LiveSession): Promise<void> {
    return live.inTurn(() => this.#save(live));
  }

  /** A response that leaves only when other processes know what they need to go on without this one. */
  async serve(request: Request, handle: () => Promise<Response>): Promise<Response> {
    if (request.method !== 'POST') return handle();
    try {
      return await this.#shared.events.serve(handle);
    } catch (error) {
      if (error instanceof RootwardMcpError && error.code === 'closed') return sessionNotFound();
      throw error;
    }
  }

  close(): Promise<void> {
    this.#asleep.clear();
    this.endStreamsWhere(() => true);
    return this.#shared.close();
  }

  /** Answers a request for a stream. It comes from the store, and needs no server. */
  async listen(name: string, listener: Listener, request: Request, onUse: () => void): Promise<Response> {
    const { reader } = this.#shared;
    const last = request.headers.get('last-event-id');
    const isOfNoRequest = last === null || isStandalone(last);
    const bell = new Bell();
    const over = new AbortController();
    const end = (): void => {
      over.abort();
      bell.close();
    };
    // It counts as open before the store is asked, so that it can be ended meanwhile.
    const forget = this.#streams.add(name, listener, end, isOfNoRequest ? bell : undefined);
    let stream: Awaited<ReturnType<typeof reader.resume>>;
    try {
      stream = await (last === null
        ? reader.listen(name, bell, over.signal)
        : reader.resume(name, last, bell, over.signal));
    } catch (error) {
      forget();
      throw error;
    }
    if (typeof stream === 'string') {
      forget();
      return stream === 'unknown' ? unknownEvent() : streamOver();
    }
    if (isOfNoRequest && !over.signal.aborted) this.#shared.tell({ kind: 'listening', session: name });
    return eventStreamResponse(request, stream, {
      session: listener.id,
      keepAliveMs: this.#options.keepAliveMs,
      signal: over.signal,
      onerror: this.#options.onerror,
      onEnd: () => {
        end();
        forget();
        onUse();
      },
    });
  }

  /** Gives a session whose client listens here a server that tells it what happens, when there is time for it. */
  wakeLater(
    name: string,
    { fields }: SessionRecord,
    open: (record: SessionRecord) => Promise<unknown>,
  ): void {
    const wake = async (): Promise<void> => {
      if (!this.isHeard(name)) return;
      try {
        const record = await this.read(name);
        if (record === undefined) this.endStreams(name);
        else if (this.isHeard(name)) await open(record);
      } catch (error) {
        // The store may be down.
        if (this.isHeard(name)) this.#asleep.add(name, wake);
        this.#options.onerror(error);
      }
    };
    // Nobody else tells the client when something changes that it subscribed to.
    if (Object.keys(fields).some((field) => field.startsWith(SUBSCRIPTION))) wake().catch(ignore);
    else this.#asleep.add(name, wake);
  }

  /** Messages that belong to what another process does are passed on to it. */
  received(live: LiveSession, message: JSONRPCMessage): boolean {
    const { events, instance } = this.#shared;
    const session = live.name;
    if ('method' in message && 'id' in message) {
      // An answer that is no stream cannot be resumed.
      if (live.transport.carriesRequests) events.own(session, message.id);
      return true;
    }
    const asker = SharedIds.instanceOf(message);
    if (asker !== undefined && asker !== instance) {
      events.hold(this.#shared.pass({ kind: 'message', session, message }, asker));
      return false;
    }
    if (!('method' in message)) return true;
    if (message.method === 'notifications/cancelled') {
      if (live.transport.isUnderWay(message.params?.['requestId'])) return true;
      events.hold(this.#shared.pass({ kind: 'message', session, message }, undefined));
      return false;
    }
    events.hold(this.#saveSettled(live));
    return true;
  }

  #hear(note: Note): void {
    const live = this.#open.get(note.session);
    switch (note.kind) {
      case 'message':
        if (live !== undefined && isMeantFor(live, note.message)) live.transport.onmessage?.(note.message);
        return;
      case 'news':
        this.#streams.ring(note.session);
        return;
      case 'listening':
        this.#streams.leave(note.session);
        return;
      case 'ended':
        this.endStreams(note.session);
        if (live !== undefined) this.#options.end(live);
    }
  }

  /** What the server makes of a notification is known a moment later. */
  async #saveSettled(live: LiveSession): Promise<void> {
    await live.transport.keeper?.settled();
    await live.inTurn(() => this.#save(live));
  }

  /** Nothing is written where nothing has changed. */
  async #save(live: LiveSession): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const { saved } = live;
      // It could not be told what it knows. The store would get half of it, or a session back that has ended.
      if (saved === undefined && live.isRestored) return;
      const fields = live.fields();
      if (changedFields(saved?.fields ?? {}, fields).length === 0) return;
      const next = makeRecord((saved?.turn ?? 0) + 1, fields);
      await this.#requireStorable(live, next);
      if (await this.#shared.replace(live.name, saved?.text, next.text)) {
        live.saved = next;
        live.isDoubtful = false;
        return;
      }
      await this.#catchUp(live);
    }
    throw new RootwardMcpError('store-unavailable', 'Cannot save the session: others change it all the time');
  }

  /** The others would go on with what it was before, and the client may have taken something back: it ends. */
  async #requireStorable(live: LiveSession, next: SessionRecord): Promise<void> {
    try {
      requireStorable(next);
    } catch (error) {
      await this.remove(live);
      this.#options.onLost(live);
      throw error;
    }
  }

  /** Another process has changed something meanwhile. */
  async #catchUp(live: LiveSession): Promise<void> {
    const text = await this.#shared.read(live.name);
    if (text === undefined) {
      this.endStreams(live.name);
      this.#options.end(live);
      throw new RootwardMcpError('closed', 'Cannot go on: the session has ended');
    }
    await live.reconcile(readRecord(text), undefined);
  }

  /** One that is gone has ended elsewhere, and nobody said so. */
  async #touch(name: string): Promise<void> {
    if ((await this.#shared.read(name)) === undefined) this.endStreams(name);
  }

  /** A store that lost what was saved gets it back, merged with what others have written since. */
  async #reassure(live: LiveSession): Promise<void> {
    await live.inTurn(async () => {
      if (!live.isDoubtful) return;
      await this.#catchUp(live);
      await this.#save(live);
    });
  }

  /** A stream or a call that takes long keeps its session alive. */
  #touchOpen(): void {
    const now = this.#options.clock.now();
    for (const live of this.#open.values()) if (live.isDoubtful) this.#reassure(live).catch(ignore);
    const inUse = new Set(this.#streams.sessions());
    for (const live of this.#open.values()) if (!live.isIdle) inUse.add(live.name);
    for (const name of this.#touched.keys()) if (!inUse.has(name)) this.#touched.delete(name);
    for (const name of inUse) {
      if (now < (this.#touched.get(name) ?? 0) + this.#options.ttl / TOUCHES) continue;
      this.#touched.set(name, now);
      this.#touch(name).catch(ignore);
    }
  }
}

/** A cancellation is only for the process that serves the request which it cancels. */
function isMeantFor(live: LiveSession, message: JSONRPCMessage): boolean {
  const isCancellation = 'method' in message && message.method === 'notifications/cancelled';
  return !isCancellation || live.transport.isUnderWay(message.params?.['requestId']);
}
