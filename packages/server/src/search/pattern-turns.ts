import { disposable } from '@rootward/core/platform';

/** How many slow searches of one principal run at once. Its others wait; those of other principals do not. */
const MAX_PER_PRINCIPAL = 2;
/** Each has a thread, and threads take memory. */
const MAX_IN_ALL = 8;

interface Waiting {
  readonly principal: string;
  readonly start: () => void;
}

/** Gives slow searches their turn. */
export class PatternTurns {
  readonly #running = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #total = 0;

  /** Resolves when it is this one's turn; dispose of the result when done. Rejects when aborted before. */
  async take(principal: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#hasRoom(principal)) this.#begin(principal);
    else await this.#wait(principal, signal);
    let held = true;
    return disposable(() => {
      if (held) this.#end(principal);
      held = false;
    });
  }

  #hasRoom(principal: string): boolean {
    return this.#total < MAX_IN_ALL && (this.#running.get(principal) ?? 0) < MAX_PER_PRINCIPAL;
  }

  #begin(principal: string): void {
    this.#total++;
    this.#running.set(principal, (this.#running.get(principal) ?? 0) + 1);
  }

  #wait(principal: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(entry);
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      };
      const entry: Waiting = {
        principal,
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(entry);
    });
  }

  #end(principal: string): void {
    this.#total--;
    const left = (this.#running.get(principal) ?? 1) - 1;
    if (left === 0) this.#running.delete(principal);
    else this.#running.set(principal, left);
    for (const entry of this.#waiting) {
      if (!this.#hasRoom(entry.principal)) continue;
      this.#waiting.delete(entry);
      this.#begin(entry.principal);
      entry.start();
    }
  }
}
