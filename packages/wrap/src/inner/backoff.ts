const FIRST_MS = 250;
const MAX_MS = 30_000;

/** How long to wait before a server that keeps ending is started again. The first time at once. */
export class Backoff {
  #failures = 0;

  get delay(): number {
    return this.#failures < 2 ? 0 : Math.min(FIRST_MS * 2 ** (this.#failures - 2), MAX_MS);
  }

  failed(): void {
    this.#failures += 1;
  }

  /** It answered a request, so it works. */
  worked(): void {
    this.#failures = 0;
  }
}
