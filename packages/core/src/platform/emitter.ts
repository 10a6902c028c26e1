import type { Disposable } from './disposable.js';

/** Calls listeners in the order they were added. One that throws does not stop the others. */
export class Emitter<Event = void> {
  readonly #entries = new Set<Entry<Event>>();
  readonly #onError: (error: unknown) => void;

  /** `onError` gets what a listener throws. */
  constructor(onError: (error: unknown) => void = () => undefined) {
    this.#onError = onError;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The same listener may be added several times, and is then called as often. */
  add(listener: (event: Event) => void): Disposable {
    const entry = new Entry(listener, this.#entries);
    this.#entries.add(entry);
    return entry;
  }

  /** Calls those that are listening now; one that is removed meanwhile is not called. */
  fire(event: Event): void {
    for (const entry of Array.from(this.#entries)) {
      if (!this.#entries.has(entry)) continue;
      try {
        entry.listener(event);
      } catch (error) {
        this.#onError(error);
      }
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}

/** A listener, and what removes it: one object, since there may be thousands. */
class Entry<Event> implements Disposable {
  readonly listener: (event: Event) => void;
  readonly #entries: Set<Entry<Event>>;

  constructor(listener: (event: Event) => void, entries: Set<Entry<Event>>) {
    this.listener = listener;
    this.#entries = entries;
  }

  dispose(): void {
    this.#entries.delete(this);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}
