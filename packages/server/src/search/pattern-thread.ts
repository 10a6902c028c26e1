import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Deferred, unlessAborted, within } from '@rootward/core/platform';
import { lineSearch, type LineMatch } from './line-search.js';

/** Matching needs little more than the text. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, stackSizeMb: 4 };

type Found = readonly (readonly LineMatch[])[];

/** Searches texts in a thread of its own, which can be ended in the middle of a match. */
export class PatternThread implements Disposable {
  readonly #worker: Worker;
  readonly #online: Promise<unknown>;
  #answer = new Deferred<Found | undefined>();

  constructor({ source, flags }: RegExp) {
    this.#worker = new Worker(CODE, {
      eval: true,
      workerData: { source, flags },
      env: {},
      resourceLimits: RESOURCE_LIMITS,
    });
    this.#worker.on('message', (found: Found) => this.#answer.resolve(found));
    this.#online = once(this.#worker, 'online').catch(() => undefined);
    // Such as one that has run out of memory.
    this.#worker.on('error', () => this.#answer.resolve(undefined));
    this.#worker.unref();
  }

  /** Nothing is found where that takes longer, or more memory than a thread has. The thread is of no use then. */
  async search(
    texts: readonly string[],
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<{ readonly found: Found | undefined; readonly took: number }> {
    // Starting takes long on a busy machine, and is not the pattern's fault.
    await unlessAborted(this.#online, signal);
    const answer = (this.#answer = new Deferred<Found | undefined>());
    const start = performance.now();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, and not a window
    this.#worker.postMessage(texts);
    const inTime = await within(answer.promise, { milliseconds, signal });
    const took = performance.now() - start;
    return { found: inTime ? await answer.promise : undefined, took };
  }

  dispose(): void {
    void this.#worker.terminate();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** What runs in the thread. Self-contained, as `lineSearch` is: the program is one file, and a thread starts from text. */
function answerSearches(search: typeof lineSearch): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written a few lines above
  const { source, flags } = workerData as { readonly source: string; readonly flags: string };
  const searchLines = search(new RegExp(source, flags));
  parentPort?.on('message', (texts: readonly string[]) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, and not a window
    parentPort.postMessage(texts.map((text) => searchLines(text)));
  });
}

const CODE = `(${answerSearches.toString()})(${lineSearch.toString()})`;
