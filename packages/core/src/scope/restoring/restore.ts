import { chmodSync, closeSync, constants, fchmodSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { RootwardError } from '../../error.js';
import { childPath } from '../gate/child-path.js';
import type { Entry, Gate } from '../gate/gate.js';
import { priorAt, priorOf, recorded, type Recorder } from '../recording/recorder.js';
import { fromSystem, scopeError } from '../gate/refusal.js';
import { overwriteInPlace, replaceFile, writeAll } from '../operations/replace-file.js';
import type { TemporaryFiles } from '../operations/temporary-files.js';

/** What to restore at a path. */
export type RestoredEntry =
  | { readonly kind: 'file'; readonly mode: number; readonly bytes: Uint8Array }
  | { readonly kind: 'directory'; readonly mode?: number | undefined }
  | { readonly kind: 'link'; readonly target: string };

/** A folder with all its contents, which its store puts in place. */
export interface RestoredTree {
  /** The name it is kept under. */
  readonly tree: string;
  readonly digest: string;
  readonly files: number;
  readonly bytes: number;
  /** What is in it, by path from the folder; the folder itself is ''. */
  readonly entries: Iterable<string>;
  /** Puts it at a name for system calls that does not exist yet. */
  put(child: string): Promise<void>;
}

const ACTION = 'restore';
const IN_PLACE_FLAGS: number = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);

/** Puts an entry into a former state, in one step. A folder where a file is to go, and the reverse, are refused. */
export async function restoreInScope(
  gate: Gate,
  temporaries: TemporaryFiles,
  recorder: Recorder | undefined,
  asked: string,
  entry: RestoredEntry,
): Promise<void> {
  try {
    if (entry.kind === 'file' && isFileRoot(gate, asked)) {
      await restoreInPlace(gate, recorder, asked, entry);
      return;
    }
    const place = gate.admitEntry(ACTION, asked, 'change');
    try {
      if (entry.kind === 'directory') await restoreFolder(gate, recorder, place, entry.mode);
      else if (entry.kind === 'link') await restoreLink(temporaries, recorder, place, entry.target);
      else await restoreFile(temporaries, recorder, place, entry);
    } finally {
      place.parent.close();
    }
  } catch (error) {
    throw fromSystem(ACTION, asked, error);
  }
}

/** Puts back a whole folder at a path where nothing is. Every path in it has to be one that may be changed. */
export async function restoreTreeInScope(
  gate: Gate,
  recorder: Recorder | undefined,
  asked: string,
  tree: RestoredTree,
): Promise<void> {
  try {
    const place = gate.admitEntry(ACTION, asked, 'change');
    try {
      gate.enforceMove(ACTION, asked, place.placement);
      for (const relative of tree.entries) {
        const path = relative === '' ? place.placement.path : childPath(place.placement.path, relative);
        gate.enforce(ACTION, asked, gate.place(ACTION, asked, path), 'change');
      }
      if (priorAt(place.child) !== undefined) {
        throw scopeError('already-exists', ACTION, asked, 'it exists already');
      }
      const { tree: name, digest, files, bytes } = tree;
      const plan = {
        kind: 'put-tree',
        path: place.placement.path,
        tree: { tree: name, digest, files, bytes },
      } as const;
      await recorded(
        recorder,
        () => plan,
        undefined,
        () => tree.put(place.child),
      );
    } finally {
      place.parent.close();
    }
  } catch (error) {
    throw fromSystem(ACTION, asked, error);
  }
}

/** The folder of such a root is out of scope. */
function isFileRoot(gate: Gate, asked: string): boolean {
  return gate.roots.some((root) => root.kind === 'file' && root.path === asked);
}

type RestoredFile = RestoredEntry & { readonly kind: 'file' };

async function restoreInPlace(
  gate: Gate,
  recorder: Recorder | undefined,
  asked: string,
  { bytes, mode }: RestoredFile,
): Promise<void> {
  const { pin, placement } = gate.admit(ACTION, asked, 'change');
  try {
    const next = { kind: 'file', mode, content: bytes } as const;
    const plan = () => ({ kind: 'put', path: placement.path, prior: priorOf(pin), next }) as const;
    await recorded(recorder, plan, undefined, async () => {
      const fd = pin.reopen(IN_PLACE_FLAGS);
      try {
        await overwriteInPlace(fd, bytes);
        fchmodSync(fd, mode);
      } finally {
        closeSync(fd);
      }
    });
  } finally {
    pin.close();
  }
}

async function restoreFile(
  temporaries: TemporaryFiles,
  recorder: Recorder | undefined,
  place: Entry,
  { bytes, mode }: RestoredFile,
): Promise<void> {
  refuseFolder(place);
  const fill = async (fd: number): Promise<void> => {
    await writeAll(fd, bytes);
    fchmodSync(fd, mode);
  };
  await replaceFile(place, temporaries, fill, { exclusive: false, recorder, content: bytes });
}

async function restoreLink(
  temporaries: TemporaryFiles,
  recorder: Recorder | undefined,
  place: Entry,
  target: string,
): Promise<void> {
  refuseFolder(place);
  const path = place.placement.path;
  const plan = () =>
    ({ kind: 'put', path, prior: priorAt(place.child), next: { kind: 'link', target } }) as const;
  await recorded(recorder, plan, undefined, () => {
    const temporary = temporaries.begin(place.parent);
    try {
      symlinkSync(target, temporary);
      renameSync(temporary, place.child);
    } finally {
      temporaries.end(temporary);
    }
  });
}

async function restoreFolder(
  gate: Gate,
  recorder: Recorder | undefined,
  place: Entry,
  mode: number | undefined,
): Promise<void> {
  const prior = priorAt(place.child);
  const next = { kind: 'directory', mode } as const;
  const plan = () => ({ kind: 'put', path: place.placement.path, prior, next }) as const;
  await recorded(recorder, plan, undefined, () => {
    if (prior === undefined) mkdirSync(place.child);
    if (mode === undefined) return;
    const pin = gate.pin(place.child, { directory: true, noFollow: true });
    try {
      chmodSync(pin.self, mode);
    } finally {
      pin.close();
    }
  });
}

/** A rename would fail, too, but only after the content was written. */
function refuseFolder(place: Entry): void {
  if (priorAt(place.child)?.stats.isDirectory() !== true) return;
  throw new RootwardError('not-a-file', `Cannot restore ${place.placement.path}: a folder has its name`, {
    path: place.placement.path,
  });
}
