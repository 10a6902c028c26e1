/** Runs what reads and then writes the same file one after the other, and everything else at once. */
export class ChangeQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key);
    const running = before === undefined ? task() : before.then(task, task);
    this.#tails.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#tails.get(key) === running) this.#tails.delete(key);
    }
  }

  /** Keys something is under way for. */
  get size(): number {
    return this.#tails.size;
  }
}
