import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Clock, Timer } from '@rootward/core';
import { keyDigest, type SessionStore } from '../../../store/session-store.js';

/** What every process with a server for the session tells when something changes, each at its own time. */
const CHANGES: ReadonlySet<string> = new Set([
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/tools/list_changed',
]);
/** What another process told within this time may be the same change: processes notice it a moment apart. */
const SAME_CHANGE_MS = 1000;
/**
 * After so long what another process told no longer keeps this one quiet. Longer by far than the clocks of a process and
 * of the store differ over a second.
 */
const AGAIN_MS = SAME_CHANGE_MS + 100;

interface NotesOptions {
  readonly instance: string;
  readonly clock: Clock;
  /** Writes a note down and returns the id of its event. */
  readonly write: (session: string, note: JSONRPCMessage) => Promise<string>;
  /** The place of what was written last for a session. */
  readonly lastPlace: (session: string) => Promise<string>;
  /** Whether a note was written after a place. */
  readonly isWritten: (session: string, note: JSONRPCMessage, place: string) => Promise<boolean>;
  readonly onerror: (error: unknown) => void;
}

interface Change {
  readonly session: string;
  readonly note: JSONRPCMessage;
  /** A note after this place tells of it, whoever wrote it; undefined where that is not known. */
  readonly place: string | undefined;
}

interface Waiting extends Change {
  readonly timer: Timer;
}

/**
 * Tells clients of changes that several processes notice. One of them tells at once; the others cannot know whether it
 * saw what they see, so one of them tells once more a second later: one note too many rather than one too few.
 */
export class ChangeNotes {
  readonly #store: SessionStore;
  readonly #options: NotesOptions;
  /** What is told again unless another process does, by its key in the store. */
  readonly #waiting = new Map<string, Waiting>();
  #isClosed = false;

  constructor(store: SessionStore, options: NotesOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** The id of its event, or nothing where another process has just told the same. Rejects where the store fails. */
  async tell(session: string, note: JSONRPCMessage): Promise<string> {
    const key = keyOf(session, note);
    try {
      if (await this.#claim(key)) {
        this.#cancel(key);
        return await this.#write(key, session, note);
      }
      const place = await this.#options.lastPlace(session);
      this.#tellLater(key, { session, note, place });
      return '';
    } catch (error) {
      this.#tellLater(key, { session, note, place: undefined });
      throw error;
    }
  }

  /** The session has ended, and nobody is to be told. */
  forget(session: string): void {
    for (const [key, waiting] of this.#waiting) if (waiting.session === session) this.#cancel(key);
  }

  /** Tells what waits: nobody else may have noticed it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = [...this.#waiting];
    for (const [key] of waiting) this.#cancel(key);
    if (!this.#store.ready) return;
    await Promise.all(waiting.map(([, { session, note }]) => this.#tellNow(session, note)));
  }

  /** Counted from the last change: a note that came before it says nothing of it. */
  #tellLater(key: string, { session, note, place }: Change): void {
    this.#cancel(key);
    if (this.#isClosed) {
      void this.#tellNow(session, note);
      return;
    }
    const timer = this.#options.clock.setTimeout(() => void this.#tellAgain(key, waiting), AGAIN_MS);
    const waiting = { session, note, place, timer };
    this.#waiting.set(key, waiting);
  }

  async #tellNow(session: string, note: JSONRPCMessage): Promise<void> {
    await this.#options.write(session, note).catch(this.#options.onerror);
  }

  /** Until the client is told, also while the store is down: nobody else may have noticed it. */
  async #tellAgain(key: string, waiting: Waiting): Promise<void> {
    const isTold = await this.#tryAgain(key, waiting).catch(() => false);
    // The session has ended, or the same changed once more.
    if (this.#waiting.get(key) !== waiting) return;
    if (isTold) this.#waiting.delete(key);
    else this.#tellLater(key, waiting);
  }

  /** A process that keeps this one quiet may have died before it wrote its note: only what is written counts. */
  async #tryAgain(key: string, { session, note, place }: Change): Promise<boolean> {
    if (place !== undefined && (await this.#options.isWritten(session, note, place))) return true;
    if (!(await this.#claim(key))) return false;
    await this.#write(key, session, note);
    return true;
  }

  /** What could not be written keeps nobody quiet. */
  async #write(key: string, session: string, note: JSONRPCMessage): Promise<string> {
    try {
      return await this.#options.write(session, note);
    } catch (error) {
      await this.#claim(key, 0).catch(() => undefined);
      throw error;
    }
  }

  #claim(key: string, ttl: number = SAME_CHANGE_MS): Promise<boolean> {
    return this.#store.claim(key, this.#options.instance, 1, ttl);
  }

  #cancel(key: string): void {
    this.#waiting.get(key)?.timer.clear();
    this.#waiting.delete(key);
  }
}

export function isChange(message: JSONRPCMessage): boolean {
  return 'method' in message && CHANGES.has(message.method);
}

function keyOf(session: string, note: JSONRPCMessage): string {
  return `told:${keyDigest(session + JSON.stringify(note))}`;
}
