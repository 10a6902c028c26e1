import { disposable, type Disposable } from './disposable.js';

/** Calls listeners in the order they were added. One that throws does not stop the others. */
export class Emitter<Event = void> {
  readonly #entries = new Set<{ readonly listener: (event: Event) => void }>();
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
    const entry = { listener };
    this.#entries.add(entry);
    return disposable(() => this.#entries.delete(entry));
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
