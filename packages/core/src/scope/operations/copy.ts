import { accessSync, constants, fchmodSync, lstatSync, type Stats } from 'node:fs';
import { endsInSeparator } from '../gate/asked-path.js';
import { CHUNK_SIZE, FileReader } from './file-reader.js';
import type { Entry, Gate } from '../gate/gate.js';
import { READ_FLAGS, requireFile } from './open.js';
import type { Pin } from '../pin/pin.js';
import { fromSystem, scopeError } from '../gate/refusal.js';
import { replaceFile, writeAll, type ReplaceOptions, type Writing } from './replace-file.js';

/** Options of `Scope.copy()`. */
export interface CopyOptions {
  /** Replace a file that is already there; default false. */
  readonly overwrite?: boolean;
  readonly signal?: AbortSignal;
}

const ACTION = 'copy';
const ACTION_TO = 'copy to';
/** Without setuid and setgid: a copy belongs to the user who made it. */
const COPIED_BITS = 0o777;

/**
 * From descriptor to descriptor: a copy by name would open the temporary file again, which may be another file by then.
 */
async function pump(reader: FileReader, fd: number, signal?: AbortSignal): Promise<void> {
  for (let position = 0; ;) {
    const chunk = await reader.read(position, CHUNK_SIZE);
    await writeAll(fd, chunk, signal);
    position += chunk.length;
    if (chunk.length < CHUNK_SIZE) return;
  }
}

/** The bytes of a pinned file into an entry, in one step. Once the source is open, failures are reported for the target. */
export async function copyIntoEntry(
  writing: Writing,
  source: Pin,
  target: Entry,
  options: ReplaceOptions & { readonly action: string; readonly asked: string },
): Promise<void> {
  const reader = new FileReader(source.reopen(READ_FLAGS), options.signal);
  const fill = async (fd: number): Promise<void> => {
    await pump(reader, fd, options.signal);
    fchmodSync(fd, source.stats.mode & COPIED_BITS);
  };
  try {
    await replaceFile(target, writing, fill, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem(options.action, options.asked, error);
  } finally {
    reader.close();
  }
}

/** What is at the target of a copy or move. Throws unless it is a file that may be replaced. */
export function checkTarget(
  action: string,
  asked: string,
  target: Entry,
  overwrite: boolean,
): Stats | undefined {
  if (endsInSeparator(asked)) {
    throw scopeError('not-a-file', action, asked, 'a path that ends in a separator names a folder');
  }
  const stats = lstatSync(target.child, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (!overwrite || stats.isDirectory())
    throw scopeError('already-exists', action, asked, 'it exists already');
  if (stats.isFile()) requireWritable(action, asked, target);
  return stats;
}

/** The system allows replacing a read-only file, but such a file is meant to stay as it is. */
function requireWritable(action: string, asked: string, target: Entry): void {
  try {
    accessSync(target.child, constants.W_OK);
  } catch (error) {
    throw fromSystem(action, asked, error);
  }
}

/** Copies one regular file, what a link leads to included, into place in one step. A link at the target is replaced. */
export async function copyInScope(
  gate: Gate,
  writing: Writing,
  from: string,
  to: string,
  options: CopyOptions = {},
): Promise<void> {
  options.signal?.throwIfAborted();
  const overwrite = options.overwrite === true;
  const { pin } = gate.admit(ACTION, from);
  try {
    requireFile(ACTION, from, pin);
    const target = gate.admitEntry(ACTION_TO, to, 'change');
    try {
      const stats = checkTarget(ACTION_TO, to, target, overwrite);
      await copyIntoEntry(writing, pin, target, {
        exclusive: !overwrite,
        predecessor: stats?.isFile() === true ? stats : undefined,
        signal: options.signal,
        action: ACTION_TO,
        asked: to,
      });
    } finally {
      target.parent.close();
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    throw fromSystem(ACTION, from, error);
  } finally {
    pin.close();
  }
}
