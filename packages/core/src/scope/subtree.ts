import { opendirSync } from 'node:fs';
import type { Dir, Dirent } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { childPath } from './child-path.js';
import type { Entry, Gate } from './gate.js';
import type { Pin } from './pin.js';

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

/** Reads a pinned folder piece by piece, so that memory does not grow with the size of the folder. Opens it at once. */
export function readPinned(directory: Pin): Generator<Dirent> {
  return readEntries(opendirSync(directory.self, { bufferSize: DIRECTORY_BUFFER }));
}

function* readEntries(handle: Dir): Generator<Dirent> {
  try {
    for (let entry = handle.readSync(); entry !== null; entry = handle.readSync()) yield entry;
  } finally {
    handle.closeSync();
  }
}

/** The pattern that denies something below a folder, if any does. Links are not followed. */
export async function findDenied(
  gate: Gate,
  entry: Entry,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const directory = gate.pin(entry.child, { directory: true, noFollow: true });
  try {
    return await findDeniedBelow(gate, directory, new Pacer(signal));
  } finally {
    directory.close();
  }
}

/** Depth first: holds one folder open per level, however many folders lie side by side. */
async function findDeniedBelow(gate: Gate, directory: Pin, pacer: Pacer): Promise<string | undefined> {
  const { path } = directory;
  const roots = gate.index.containing(path);
  for (const entry of readPinned(directory)) {
    if (pacer.due) await pacer.rest();
    const refusal = gate.rules.refuseRead({ path: childPath(path, entry.name), roots });
    if (refusal?.code === 'denied') return refusal.pattern;
    if (!entry.isDirectory()) continue;
    const below = gate.pin(directory.child(entry.name), { directory: true, noFollow: true });
    try {
      const pattern = await findDeniedBelow(gate, below, pacer);
      if (pattern !== undefined) return pattern;
    } finally {
      below.close();
    }
  }
  return undefined;
}
