import { accessSync, closeSync, constants, fstatSync, lstatSync } from 'node:fs';
import { types } from 'node:util';
import { RootwardError } from '../../error.js';
import { endsInSeparator } from '../gate/asked-path.js';
import type { Admitted, Entry, Gate } from '../gate/gate.js';
import { requireFile } from './open.js';
import { MAX_PIN_ATTEMPTS, unstablePath, type Pin } from '../pin/pin.js';
import { isInPlace, placeOfPin } from '../recording/changes.js';
import { errnoOf } from '../../platform/errno.js';
import { changedMeanwhile, fromSystem, quotePath, scopeError } from '../gate/refusal.js';
import { priorAt, priorOf, type Plan, type Prior, type Recording } from '../recording/recorder.js';
import { contentVersion, isVersion, statsVersion, Versioned } from '../recording/version.js';
import { overwriteInPlace, replaceFile, writeAll, type Writing } from './replace-file.js';

/** `new` must not exist yet; `overwrite` creates or replaces; `append` creates or adds to the end. */
export type WriteMode = 'new' | 'overwrite' | 'append';

/** Options of `Scope.write()`. */
export interface WriteOptions {
  /** Default `overwrite`. */
  readonly mode?: WriteMode;
  /**
   * The version of the file that the new content was made from, as `readText()` or `write()` returned it. Refused as
   * `changed-meanwhile` where the path leads to anything else by now.
   */
  readonly expected?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What `Scope.write()` did: `created` is false where a file was replaced or added to. */
export interface WriteResult {
  readonly created: boolean;
  readonly bytesWritten: number;
  /** Identifies what the file holds now, for `expected` of a later call. */
  readonly version: string;
}

class Written extends Versioned implements WriteResult {
  readonly created: boolean;
  readonly bytesWritten: number;

  constructor(created: boolean, bytesWritten: number, find: () => string) {
    super(find);
    this.created = created;
    this.bytesWritten = bytesWritten;
  }
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

async function withDescriptor<Result>(
  pin: Pin,
  flags: number,
  recording: Recording | undefined,
  use: (fd: number) => Promise<Result>,
): Promise<Result> {
  const fd = pin.reopen(flags);
  const { size, mtimeMs } = fstatSync(fd);
  try {
    return await use(fd);
  } catch (error) {
    const now = fstatSync(fd);
    if (now.size !== size || now.mtimeMs !== mtimeMs) recording?.partly?.();
    throw error;
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

/** Throws unless a path still leads to what was expected there. */
async function requireVersion(
  asked: string,
  path: string,
  prior: Prior | undefined,
  expected: string | undefined,
): Promise<void> {
  if (expected === undefined || (await isVersion(expected, path, prior))) return;
  throw changedMeanwhile('write', asked);
}

/** What was written; undefined where another file has the name by now. */
async function change(
  gate: Gate,
  writing: Writing,
  asked: string,
  existing: Admitted,
  bytes: Uint8Array,
  options: RecordedOptions,
): Promise<Written | undefined> {
  const { mode, signal, expected } = options;
  const { pin, placement } = existing;
  requireFile('write', asked, pin);
  if (mode === 'new') throw scopeError('already-exists', 'write', asked, 'it exists already');
  if (mode === 'append') {
    return changeInPlace(writing, asked, existing, bytes, options, async (recording) =>
      withDescriptor(pin, APPEND_FLAGS, recording, async (fd) => {
        await writeAll(fd, bytes);
        const version = statsVersion(pin.path, fstatSync(fd));
        return () => version;
      }),
    );
  }
  if (placement.roots.every((root) => root.kind === 'file')) {
    return changeInPlace(writing, asked, existing, bytes, options, async (recording) => {
      await withDescriptor(pin, IN_PLACE_FLAGS, recording, (fd) => overwriteInPlace(fd, bytes));
      return () => contentVersion(pin.path, bytes);
    });
  }
  // The system allows replacing a read-only file, but such a file is meant to stay as it is.
  accessSync(pin.self, constants.W_OK);
  const entry = entryOf(gate, asked, existing);
  if (entry === undefined) return undefined;
  try {
    await replaceFile(entry, writing, (fd) => writeAll(fd, bytes, signal), {
      exclusive: false,
      predecessor: pin.stats,
      signal,
      check: () => requireVersion(asked, pin.path, priorAt(entry.child), expected),
      content: bytes,
    });
    return new Written(false, bytes.length, () => contentVersion(pin.path, bytes));
  } finally {
    entry.parent.close();
  }
}

/** The signal is ignored once it has begun: half of the data is worse than all of it late. */
async function changeInPlace(
  { changes }: Writing,
  asked: string,
  existing: Admitted,
  bytes: Uint8Array,
  { mode, expected, signal }: RecordedOptions,
  make: (recording: Recording | undefined) => Promise<() => string>,
): Promise<Written | undefined> {
  const { pin } = existing;
  let isReplaced = false;
  const check = async (): Promise<void> => {
    isReplaced = !isInPlace(pin);
    if (isReplaced) throw unstablePath();
    await requireVersion(asked, pin.path, priorOf(pin), expected);
  };
  const plan = (): Plan => planOf(existing, bytes, mode === 'append');
  try {
    const find = await changes.commit({ places: [placeOfPin(pin)], plan, check, signal }, make);
    return new Written(false, bytes.length, find);
  } catch (error) {
    if (isReplaced) return undefined;
    throw error;
  }
}

/** What was written; undefined where the file exists by now. */
async function create(
  gate: Gate,
  writing: Writing,
  asked: string,
  bytes: Uint8Array,
  { mode, signal, expected }: RecordedOptions,
): Promise<Written | undefined> {
  if (expected !== undefined) throw changedMeanwhile('write', asked);
  const entry = gate.admitEntry('write', asked, 'change');
  try {
    const stats = lstatSync(entry.child, { throwIfNoEntry: false });
    if (stats !== undefined) return undefined;
    await replaceFile(entry, writing, (fd) => writeAll(fd, bytes, signal), {
      exclusive: mode !== 'overwrite',
      signal,
      content: bytes,
    });
    const { path } = entry.placement;
    return new Written(true, bytes.length, () => contentVersion(path, bytes));
  } catch (error) {
    // Another process created it first: append to that file.
    if (mode === 'append' && errnoOf(error) === 'EEXIST') return undefined;
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
  writing: Writing,
  asked: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<WriteResult> {
  options.signal?.throwIfAborted();
  gate.absolute('write', asked);
  const complete: RecordedOptions = { ...options, mode: options.mode ?? 'overwrite' };
  checkArguments(asked, data, complete.mode);
  const bytes = toBytes(asked, data);
  if (endsInSeparator(asked)) {
    throw scopeError('not-a-file', 'write', asked, 'a path that ends in a separator names a folder');
  }
  try {
    for (let attempt = 0; attempt < MAX_PIN_ATTEMPTS; attempt++) {
      const existing = admitExisting(gate, 'write', asked);
      if (existing === undefined) {
        const created = await create(gate, writing, asked, bytes, complete);
        if (created !== undefined) return created;
        continue;
      }
      try {
        const changed = await change(gate, writing, asked, existing, bytes, complete);
        if (changed !== undefined) return changed;
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
