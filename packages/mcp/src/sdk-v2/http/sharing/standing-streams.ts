import type { Bell } from './bell.js';

/** Whose stream it is. */
export interface Listener {
  readonly id: string;
  readonly principal: string;
}

interface Streams {
  readonly listener: Listener;
  readonly ends: Set<() => void>;
  /** Wakes the one that belongs to no request. */
  bell: Bell | undefined;
}

/** The GET streams that are open in this process, by what the store calls their session. They need no server. */
export class StandingStreams {
  readonly #streams = new Map<string, Streams>();

  has(session: string): boolean {
    return this.#streams.has(session);
  }

  /** The sessions that have some. */
  sessions(): Iterable<string> {
    return this.#streams.keys();
  }

  /** `bell` for the stream that belongs to no request. Returns what forgets it. */
  add(session: string, listener: Listener, end: () => void, bell: Bell | undefined): () => void {
    const streams = this.#streams.get(session) ?? { listener, ends: new Set(), bell: undefined };
    this.#streams.set(session, streams);
    streams.ends.add(end);
    if (bell !== undefined) {
      // The client opened this one because the one before is gone.
      streams.bell?.close();
      streams.bell = bell;
    }
    return () => {
      streams.ends.delete(end);
      if (streams.bell === bell) streams.bell = undefined;
      if (streams.ends.size === 0 && this.#streams.get(session) === streams) this.#streams.delete(session);
    };
  }

  /** There is news for the stream that belongs to no request. */
  ring(session: string): void {
    this.#streams.get(session)?.bell?.ring();
  }

  ringAll(): void {
    for (const { bell } of this.#streams.values()) bell?.ring();
  }

  /** The client listens elsewhere now. */
  leave(session: string): void {
    this.#streams.get(session)?.bell?.close();
  }

  end(session: string): void {
    for (const end of this.#streams.get(session)?.ends ?? []) end();
  }

  endWhere(isOver: (listener: Listener) => boolean): void {
    for (const [session, { listener }] of this.#streams) if (isOver(listener)) this.end(session);
  }
}
