import { RootwardError, type Scope, type TextReading } from '@rootward/core';
import { RootwardLspError } from '../../error.js';
import { digestOf, type EditJournal, type JournalEntry } from './edit-journal.js';

/** A file's text before and after. */
export interface PlannedEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

interface FoundEdit extends PlannedEdit {
  /** The byte order mark that reading removes. */
  readonly mark: string;
  /** What the file holds now. */
  readonly version: string;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** What became of an edit that was cut off earlier. */
export interface Recovery {
  /** Files put back to what they were. */
  readonly restored: readonly string[];
  /** Files that someone has changed since, left as they are. */
  readonly left: readonly string[];
}

/**
 * Makes all edits or none. Every file is checked to be what the edit was made for before the first is written; when one
 * fails, those written are put back; and when this process is killed in between, the journal lets the next one do so.
 * Does NOT keep others from seeing some files new and some old while it runs.
 */
export async function applyEdits(
  scope: Scope,
  edits: readonly PlannedEdit[],
  journal: EditJournal,
  signal?: AbortSignal,
): Promise<void> {
  const found: FoundEdit[] = [];
  for (const edit of edits) {
    const { text, bom, version } = await scope.readText(edit.path);
    if (text !== edit.before) throw changedMeanwhile(edit.path);
    found.push({ ...edit, mark: bom ? BYTE_ORDER_MARK : '', version });
  }
  signal?.throwIfAborted();
  const entry = await journal.begin(
    edits.map(({ path, before, after }) => ({ path, before, after: digestOf(after) })),
  );
  const written: FoundEdit[] = [];
  const forget = scope.tally?.mark();
  try {
    for (const edit of found) {
      const { path, mark, after, version: expected } = edit;
      const { version } = await scope.write(path, mark + after, { expected });
      written.push({ ...edit, version });
    }
  } catch (cause) {
    const changed = await putBack(scope, written);
    if (changed.length > 0) throw halfWay(changed, cause);
    forget?.();
    await entry.close();
    // Compared again when each file is written: the first look was before the journal was on the disk.
    if (cause instanceof RootwardError && cause.code === 'changed-meanwhile') throw cause;
    const message = 'Cannot rename: a file could not be written; all are as before';
    throw new RootwardLspError('edit-failed', message, { cause });
  }
  await entry.close();
}

export function changedMeanwhile(path: string): RootwardLspError {
  return new RootwardLspError('changed-meanwhile', `Cannot edit: "${path}" changed meanwhile`, {
    instruction: 'Try again',
  });
}

/** Returns the files for which that failed: nobody else's change is lost, either. */
async function putBack(scope: Scope, written: readonly FoundEdit[]): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { path, mark, before, version: expected } of written.toReversed()) {
    try {
      await scope.write(path, mark + before, { expected });
    } catch {
      changed.push(path);
    }
  }
  return changed;
}

function halfWay(changed: readonly string[], cause: unknown): RootwardLspError {
  const files = changed.map((path) => `"${path}"`).join(', ');
  return new RootwardLspError(
    'edit-failed',
    `Cannot rename: a file could not be written, and ${files} could not be put back`,
    { cause, instruction: 'Start the server again: the next rename over these roots puts them back' },
  );
}

/** Undoes edits that were cut off, as far as all their files are in scope and may be written. */
export async function recoverEdits(scope: Scope, journal: EditJournal): Promise<readonly Recovery[]> {
  const recoveries: Recovery[] = [];
  for (const entry of await journal.abandoned()) {
    if (!entry.files.every(({ path }) => isWritable(scope, path))) continue;
    recoveries.push(await restore(scope, entry));
    await entry.close();
  }
  return recoveries;
}

async function restore(scope: Scope, { files }: JournalEntry): Promise<Recovery> {
  const restored: string[] = [];
  const left: string[] = [];
  for (const { path, before, after } of files) {
    const reading = await readingOf(scope, path);
    if (reading?.text === before) continue;
    if (reading === undefined || digestOf(reading.text) !== after) {
      left.push(path);
      continue;
    }
    const mark = reading.bom ? BYTE_ORDER_MARK : '';
    await scope.write(path, mark + before, { expected: reading.version });
    restored.push(path);
  }
  return { restored, left };
}

async function readingOf(scope: Scope, path: string): Promise<TextReading | undefined> {
  try {
    return await scope.readText(path);
  } catch {
    return undefined;
  }
}

function isWritable(scope: Scope, path: string): boolean {
  try {
    return scope.locate(path).writable;
  } catch {
    return false;
  }
}
