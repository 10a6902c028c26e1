import { opendirSync } from 'node:fs';
import type { Dir, Dirent } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pin } from './pin.js';
import { errnoOf } from './refusal.js';

/** How long work may hold the event loop before signals, cancellation and other calls get their turn. */
const SLICE_MS = 8;
const DIRECTORY_BUFFER = 256;

/** Lets the event loop run when a slice of time is used up. */
export class Pacer {
  readonly #signal: AbortSignal | undefined;
  #since: number = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  /** True when it is time to `rest`. Cheap enough to ask for every entry. */
  get due(): boolean {
    return performance.now() - this.#since > SLICE_MS;
  }

  async rest(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
    this.#signal?.throwIfAborted();
  }
}

function openOrSkip(directory: Pin, skipUnreadable: boolean): Dir | undefined {
  try {
    return opendirSync(directory.self, { bufferSize: DIRECTORY_BUFFER });
  } catch (error) {
    if (skipUnreadable && errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** Reads a pinned folder piece by piece, so that memory does not grow with the size of the folder. */
export function* readPinned(directory: Pin, options: { skipUnreadable?: boolean } = {}): Generator<Dirent> {
  const handle = openOrSkip(directory, options.skipUnreadable === true);
  if (handle === undefined) return;
  try {
    for (let entry = handle.readSync(); entry !== null; entry = handle.readSync()) yield entry;
  } finally {
    handle.closeSync();
  }
}
