import { constants, copyFile, fchmodSync, lstatSync } from 'node:fs';
import { promisify } from 'node:util';
import { asksForFolder } from './child-path.js';
import type { Entry, Gate } from './gate.js';
import { requireFile } from './open.js';
import type { Pin } from './pin.js';
import { fromSystem, scopeError } from './refusal.js';
import { replaceFile } from './replace-file.js';
import type { Predecessor } from './replace-file.js';
import type { TemporaryFiles } from './temporary-files.js';

export interface CopyOptions {
  /** Replace a file that is already there; default false. */
  readonly overwrite?: boolean;
  readonly signal?: AbortSignal;
}

const ACTION = 'copy';
const copyFileAsync = promisify(copyFile);
const PERMISSION_BITS = 0o777;

async function fillFrom(source: string, mode: number, fd: number, temporary: string): Promise<void> {
  // Shares the blocks where the disk can; the temporary file exists already and is ours.
  await copyFileAsync(source, temporary, constants.COPYFILE_FICLONE);
  fchmodSync(fd, mode & PERMISSION_BITS);
}

/** The bytes of a pinned file into an entry, in one step. */
export async function copyIntoEntry(
  temporaries: TemporaryFiles,
  source: Pin,
  target: Entry,
  options: { readonly exclusive: boolean; readonly predecessor?: Predecessor | undefined },
): Promise<void> {
  const { mode } = source.stats;
  await replaceFile(
    target,
    temporaries,
    (fd, temporary) => fillFrom(source.self, mode, fd, temporary),
    options,
  );
}

async function copyPinned(
  gate: Gate,
  temporaries: TemporaryFiles,
  source: Pin,
  to: string,
  options: CopyOptions,
): Promise<void> {
  if (asksForFolder(to)) {
    throw scopeError('not-a-file', `${ACTION} to`, to, 'a path that ends in a separator names a folder');
  }
  const target = gate.admitEntry(`${ACTION} to`, to, 'change');
  try {
    const stats = lstatSync(target.child, { throwIfNoEntry: false });
    if (stats !== undefined && (options.overwrite !== true || stats.isDirectory())) {
      throw scopeError('already-exists', `${ACTION} to`, to, 'it exists already');
    }
    await copyIntoEntry(temporaries, source, target, {
      exclusive: options.overwrite !== true,
      predecessor: stats?.isFile() === true ? stats : undefined,
    });
  } finally {
    target.parent.close();
  }
}

/** Copies one regular file, what a link leads to included, into place in one step. */
export async function copyInScope(
  gate: Gate,
  temporaries: TemporaryFiles,
  from: string,
  to: string,
  options: CopyOptions = {},
): Promise<void> {
  options.signal?.throwIfAborted();
  const { pin } = gate.admit(ACTION, from);
  try {
    requireFile(ACTION, from, pin);
    await copyPinned(gate, temporaries, pin, to, options);
  } catch (error) {
    throw fromSystem(ACTION, from, error);
  } finally {
    pin.close();
  }
}
