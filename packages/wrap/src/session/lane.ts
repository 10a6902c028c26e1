/** Does one thing after the other, so that requests reach a server in the order they came. */
export class Lane {
  readonly #waiting: (() => Promise<void> | undefined)[] = [];
  readonly #onError: (error: unknown) => void;
  #working = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Work that returns nothing is done already; where nothing is under way, it is done before this returns. */
  add(work: () => Promise<void> | undefined): void {
    this.#waiting.push(work);
    if (!this.#working) this.#work();
  }

  #work(): void {
    this.#working = true;
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
      const pending = this.#begin(work);
      if (pending === undefined) continue;
      void pending.catch(this.#onError).then(() => this.#work());
      return;
    }
    this.#working = false;
  }

  #begin(work: () => Promise<void> | undefined): Promise<void> | undefined {
    try {
      return work();
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }
}
