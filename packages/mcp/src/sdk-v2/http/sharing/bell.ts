import { Deferred } from '@rootward/core/platform';

/** Wakes whoever waits for news, even if it rang before the wait began. Rings once at the start. */
export class Bell implements AsyncIterable<void> {
  #rang = new Deferred();
  #isClosed = false;

  constructor() {
    this.#rang.resolve();
  }

  ring(): void {
    this.#rang.resolve();
  }

  close(): void {
    this.#isClosed = true;
    this.ring();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<void> {
    for (;;) {
      await this.#rang.promise;
      if (this.#isClosed) return;
      this.#rang = new Deferred();
      yield;
    }
  }
}
