/** Does one thing after the other, so that requests reach a server in the order they came. */
export class Lane {
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #onError: (error: unknown) => void;
  #working = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(work: () => Promise<void>): void {
    this.#waiting.push(work);
    if (!this.#working) void this.#work();
  }

  async #work(): Promise<void> {
    this.#working = true;
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
      try {
        await work();
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#working = false;
  }
}
