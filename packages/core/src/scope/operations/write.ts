import { accessSync, closeSync, constants, lstatSync } from 'node:fs';
import { types } from 'node:util';
import { RootwardError } from '../../error.js';
import { endsInSeparator } from '../gate/asked-path.js';
import type { Admitted, Entry, Gate } from '../gate/gate.js';
import { requireFile } from './open.js';
import { MAX_PIN_ATTEMPTS, unstablePath, type Pin } from '../pin/pin.js';
import { errnoOf } from '../../platform/errno.js';
import { fromSystem, quotePath, scopeError } from '../gate/refusal.js';
import { priorOf, recorded, type Plan, type Recorder } from '../recording/recorder.js';
import { overwriteInPlace, replaceFile, writeAll } from './replace-file.js';
import type { TemporaryFiles } from './temporary-files.js';

/** `new` must not exist yet; `overwrite` creates or replaces; `append` creates or adds to the end. */
export type WriteMode = 'new' | 'overwrite' | 'append';

/** Options of `Scope.write()`. */
export interface WriteOptions {
  /** Default `overwrite`. */
  readonly mode?: WriteMode;
  readonly signal?: AbortSignal;
}

/** What `Scope.write()` did: `created` is false where a file was replaced or added to. */
export interface WriteResult {
  readonly created: boolean;
  readonly bytesWritten: number;
}

const APPEND_FLAGS: number = constants.O_WRONLY | constants.O_APPEND | (constants.O_NONBLOCK ?? 0);
const IN_PLACE_FLAGS: number = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);

const PERMISSION_BITS = 0o7777;

const MODES: ReadonlySet<unknown> = new Set<WriteMode>(['new', 'overwrite', 'append']);

/**
 * Checked although they are typed: in plain JavaScript, an object would empty the file, and a mistyped mode would
 * replace it.
 */
function checkArguments(asked: string, data: unknown, mode: unknown): void {
  const isData = typeof data === 'string' || types.isUint8Array(data);
  if (!isData) throw unusable(asked, 'text or a Uint8Array', data === null ? 'null' : typeof data);
  if (!MODES.has(mode)) throw unusable(asked, 'mode to be new, overwrite or append', String(mode));
}

function unusable(asked: string, expected: string, received: string): RootwardError {
  return scopeError('invalid-option', 'write', asked, `expected ${expected}, received ${received}`);
}

function toBytes(asked: string, data: string | Uint8Array): Uint8Array {
  if (typeof data !== 'string') return data;
  // Encoding would silently replace half a surrogate pair by U+FFFD.
  if (!data.isWellFormed()) {
    throw new RootwardError('not-text', `Cannot write ${quotePath(asked)}: the text is not valid Unicode`, {
      path: asked,
      instruction: 'Write the text without the halves of characters that are in it',
    });
  }
  return Buffer.from(data, 'utf8');
}

async function withDescriptor(pin: Pin, flags: number, use: (fd: number) => Promise<void>): Promise<void> {
  const fd = pin.reopen(flags);
  try {
    await use(fd);
  } finally {
    closeSync(fd);
  }
}

/** The existing file behind a path, links followed; undefined when a file of that name can be created. */
function admitExisting(gate: Gate, action: string, asked: string): Admitted | undefined {
  try {
    return gate.admit(action, asked, 'change');
  } catch (error) {
    if (error instanceof RootwardError && error.code === 'not-found') return undefined;
    throw error;
  }
}

interface RecordedOptions extends WriteOptions {
  readonly mode: WriteMode;
  readonly recorder: Recorder | undefined;
}

/** The plan for a file that keeps its place and mode and gets new or additional content. */
function planOf({ pin, placement }: Admitted, content: Uint8Array, appended: boolean): Plan {
  const mode = pin.stats.mode & PERMISSION_BITS;
  const next = { kind: 'file', mode, content, appended } as const;
  return { kind: 'put', path: placement.path, prior: priorOf(pin), next };
}

/** The entry that holds an existing file under its own name, or undefined when the file has just been replaced. */
function entryOf(gate: Gate, asked: string, existing: Admitted): Entry | undefined {
  const entry = gate.admitEntry('write', asked, 'change', existing.pin.path);
  let same = false;
  try {
    const stats = lstatSync(entry.child, { throwIfNoEntry: false });
    same = stats?.ino === existing.pin.stats.ino && stats.dev === existing.pin.stats.dev;
  } finally {
    if (!same) entry.parent.close();
  }
  return same ? entry : undefined;
}

async function change(
  gate: Gate,
  temporaries: TemporaryFiles,
  asked: string,
  existing: Admitted,
  bytes: Uint8Array,
  { mode, signal, recorder }: RecordedOptions,
): Promise<boolean> {
  const { pin, placement } = existing;
  requireFile('write', asked, pin);
  if (mode === 'new') throw scopeError('already-exists', 'write', asked, 'it exists already');
  if (mode === 'append') {
    // The signal is ignored from here on: appending half of the data is worse than appending late.
    await recorded(
      recorder,
      () => planOf(existing, bytes, true),
      signal,
      () => withDescriptor(pin, APPEND_FLAGS, (fd) => writeAll(fd, bytes)),
    );
    return true;
  }
  if (placement.roots.every((root) => root.kind === 'file')) {
    await recorded(
      recorder,
      () => planOf(existing, bytes, false),
      signal,
      () => withDescriptor(pin, IN_PLACE_FLAGS, (fd) => overwriteInPlace(fd, bytes)),
    );
    return true;
  }
  // The system allows replacing a read-only file, but such a file is meant to stay as it is.
  accessSync(pin.self, constants.W_OK);
  const entry = entryOf(gate, asked, existing);
  if (entry === undefined) return false;
  try {
    await replaceFile(entry, temporaries, (fd) => writeAll(fd, bytes, signal), {
      exclusive: false,
      predecessor: pin.stats,
      signal,
      recorder,
      content: bytes,
    });
  } finally {
    entry.parent.close();
  }
  return true;
}

async function create(
  gate: Gate,
  temporaries: TemporaryFiles,
  asked: string,
  bytes: Uint8Array,
  { mode, signal, recorder }: RecordedOptions,
): Promise<boolean> {
  const entry = gate.admitEntry('write', asked, 'change');
  try {
    const stats = lstatSync(entry.child, { throwIfNoEntry: false });
    if (stats !== undefined) return false;
    await replaceFile(entry, temporaries, (fd) => writeAll(fd, bytes, signal), {
      exclusive: mode !== 'overwrite',
      signal,
      recorder,
      content: bytes,
    });
    return true;
  } catch (error) {
    // Another process created it first: append to that file.
    if (mode === 'append' && errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    entry.parent.close();
  }
}

/**
 * Replaces a file in one step, keeping its mode and (as root) its owner. Other names of the same file (hard links)
 * keep the old content; extended attributes are not carried over.
 */
export async function writeInScope(
  gate: Gate,
  temporaries: TemporaryFiles,
  recorder: Recorder | undefined,
  asked: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<WriteResult> {
  options.signal?.throwIfAborted();
  gate.absolute('write', asked);
  const complete: RecordedOptions = { ...options, mode: options.mode ?? 'overwrite', recorder };
  checkArguments(asked, data, complete.mode);
  const bytes = toBytes(asked, data);
  if (endsInSeparator(asked)) {
    throw scopeError('not-a-file', 'write', asked, 'a path that ends in a separator names a folder');
  }
  try {
    for (let attempt = 0; attempt < MAX_PIN_ATTEMPTS; attempt++) {
      const existing = admitExisting(gate, 'write', asked);
      if (existing === undefined) {
        if (await create(gate, temporaries, asked, bytes, complete)) {
          return { created: true, bytesWritten: bytes.length };
        }
        continue;
      }
      try {
        if (await change(gate, temporaries, asked, existing, bytes, complete)) {
          return { created: false, bytesWritten: bytes.length };
        }
      } finally {
        existing.pin.close();
      }
    }
    throw unstablePath();
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem('write', asked, error);
  }
}
