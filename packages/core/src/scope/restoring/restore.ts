import { chmodSync, closeSync, constants, fchmodSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { RootwardError } from '../../error.js';
import { childPath } from '../gate/child-path.js';
import type { Entry, Gate } from '../gate/gate.js';
import { isInPlace, placeOf, placeOfPin } from '../recording/changes.js';
import { describePrior, expectEntry, type ExpectEntry } from '../operations/entry-description.js';
import { priorAt, priorOf } from '../recording/recorder.js';
import { unstablePath } from '../pin/pin.js';
import { changedMeanwhile, fromSystem, scopeError } from '../gate/refusal.js';
import { overwriteInPlace, replaceFile, writeAll, type Writing } from '../operations/replace-file.js';

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

/** Options of `Scope.restore()`. */
export interface RestoreEntryOptions {
  /** Refuses as `changed-meanwhile` where it returns false for what is there. */
  readonly expected?: ExpectEntry | undefined;
}

const ACTION = 'restore';
const IN_PLACE_FLAGS: number = constants.O_WRONLY | (constants.O_NONBLOCK ?? 0);

/** Puts an entry into a former state, in one step. A folder where a file is to go, and the reverse, are refused. */
export async function restoreInScope(
  gate: Gate,
  writing: Writing,
  asked: string,
  entry: RestoredEntry,
  { expected }: RestoreEntryOptions = {},
): Promise<void> {
  try {
    if (entry.kind === 'file' && isFileRoot(gate, asked)) {
      await restoreInPlace(gate, writing, asked, entry, expected);
      return;
    }
    const place = gate.admitEntry(ACTION, asked, 'change');
    try {
      const check = expectEntry(ACTION, asked, place, expected);
      if (entry.kind === 'directory') await restoreFolder(gate, writing, place, entry.mode, check);
      else if (entry.kind === 'link') await restoreLink(writing, place, entry.target, check);
      else await restoreFile(writing, place, entry, check);
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
  { changes }: Writing,
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
      const check = (): void => {
        if (priorAt(place.child) === undefined) return;
        throw scopeError('already-exists', ACTION, asked, 'it exists already');
      };
      const { tree: name, digest, files, bytes } = tree;
      const plan = {
        kind: 'put-tree',
        path: place.placement.path,
        tree: { tree: name, digest, files, bytes },
      } as const;
      await changes.commit({ places: [placeOf(place)], plan: () => plan, check }, () =>
        tree.put(place.child),
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
type Check = (() => Promise<void>) | undefined;

async function restoreInPlace(
  gate: Gate,
  { changes }: Writing,
  asked: string,
  { bytes, mode }: RestoredFile,
  expected: ExpectEntry | undefined,
): Promise<void> {
  const { pin, placement } = gate.admit(ACTION, asked, 'change');
  try {
    const next = { kind: 'file', mode, content: bytes } as const;
    const plan = () => ({ kind: 'put', path: placement.path, prior: priorOf(pin), next }) as const;
    const check = async (): Promise<void> => {
      if (!isInPlace(pin)) throw unstablePath();
      if (expected?.(await describePrior(priorOf(pin), () => false)) === false) {
        throw changedMeanwhile(ACTION, asked);
      }
    };
    await changes.commit({ places: [placeOfPin(pin)], plan, check }, async (recording) => {
      const fd = pin.reopen(IN_PLACE_FLAGS);
      try {
        await overwriteInPlace(fd, bytes);
        recording?.partly?.();
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
  writing: Writing,
  place: Entry,
  { bytes, mode }: RestoredFile,
  check: Check,
): Promise<void> {
  refuseFolder(place);
  const fill = async (fd: number): Promise<void> => {
    await writeAll(fd, bytes);
    fchmodSync(fd, mode);
  };
  await replaceFile(place, writing, fill, { exclusive: false, content: bytes, check });
}

async function restoreLink(
  { changes, temporaries }: Writing,
  place: Entry,
  target: string,
  check: Check,
): Promise<void> {
  refuseFolder(place);
  const path = place.placement.path;
  const plan = () =>
    ({ kind: 'put', path, prior: priorAt(place.child), next: { kind: 'link', target } }) as const;
  await changes.commit({ places: [placeOf(place)], plan, check }, () => {
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
  { changes }: Writing,
  place: Entry,
  mode: number | undefined,
  check: Check,
): Promise<void> {
  const next = { kind: 'directory', mode } as const;
  const plan = () =>
    ({ kind: 'put', path: place.placement.path, prior: priorAt(place.child), next }) as const;
  await changes.commit({ places: [placeOf(place)], plan, check }, (recording) => {
    if (priorAt(place.child) === undefined) {
      mkdirSync(place.child);
      recording?.partly?.();
    }
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
