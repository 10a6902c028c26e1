import type { Scope } from '@rootward/core';
import { RootwardLspError } from '../../error.js';
import { digestOf, type EditJournal, type JournalEntry } from './edit-journal.js';

/** A file's text before and after. */
export interface PlannedEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

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
  for (const { path, before } of edits) {
    const { text } = await scope.readText(path);
    if (text !== before) throw changedMeanwhile(path);
  }
  signal?.throwIfAborted();
  const entry = await journal.begin(
    edits.map(({ path, before, after }) => ({ path, before, after: digestOf(after) })),
  );
  const written: PlannedEdit[] = [];
  const forget = scope.tally?.mark();
  try {
    for (const edit of edits) {
      await writeText(scope, edit.path, edit.after);
      written.push(edit);
    }
  } catch (cause) {
    const changed = await putBack(scope, written);
    if (changed.length > 0) throw halfWay(changed, cause);
    forget?.();
    await entry.close();
    const message = 'Cannot rename: a file could not be written; all are as before';
    throw new RootwardLspError('edit-failed', message, { cause });
  }
  await entry.close();
}

export function changedMeanwhile(path: string): RootwardLspError {
  return new RootwardLspError('edit-refused', `Cannot edit: "${path}" changed meanwhile`, {
    instruction: 'Try again',
  });
}

/** Returns the files for which that failed. */
async function putBack(scope: Scope, written: readonly PlannedEdit[]): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { path, before } of written.toReversed()) {
    try {
      await writeText(scope, path, before);
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
    const text = await textOf(scope, path);
    if (text === before) continue;
    if (text === undefined || digestOf(text) !== after) {
      left.push(path);
      continue;
    }
    await writeText(scope, path, before);
    restored.push(path);
  }
  return { restored, left };
}

/** Reading removes a byte order mark, so it is added again before writing. */
async function writeText(scope: Scope, path: string, text: string): Promise<void> {
  const { bom } = await scope.readText(path, { head: 1 });
  await scope.write(path, bom ? `\uFEFF${text}` : text);
}

async function textOf(scope: Scope, path: string): Promise<string | undefined> {
  try {
    return (await scope.readText(path)).text;
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
