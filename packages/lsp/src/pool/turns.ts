import { Deferred, unlessAborted } from '@rootward/core/platform';

/** Lets those who use the same thing do so one after the other, in the order in which they came. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** The signal ends the wait for a turn. Does NOT end `use`. */
  async take<Result>(
    key: string,
    use: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const done = new Deferred();
    const turn = before.then(() => done.promise);
    this.#last.set(key, turn);
    try {
      await unlessAborted(before, signal);
      return await use();
    } finally {
      done.resolve();
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
