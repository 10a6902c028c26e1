import type { Scope } from '@rootward/core';
import { isMove, type Change, type EntryState, type History } from '@rootward/core/history';

/** The text of one file before and after a change; undefined where it is not text, too large, or not known any more. */
export interface ChangedText {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** In words, where the content is missing. */
  readonly note?: string | undefined;
}

/** Nobody reads more than that. */
const MAX_SHOWN_BYTES = 1024 * 1024;

/** Every file of a change that the scope may read, one after the other. */
export async function* changedTexts(
  history: History,
  scope: Scope,
  change: Change,
): AsyncGenerator<ChangedText, void> {
  const files = new Map<string, { before: EntryState; after: EntryState }>();
  for (const { step } of change.steps) {
    if (isMove(step)) continue;
    files.set(step.path, { before: files.get(step.path)?.before ?? step.before, after: step.after });
  }
  for (const [path, { before, after }] of files) {
    if (!scope.containsName(path)) continue;
    if (before.kind === 'directory' || after.kind === 'directory' || before.kind === 'tree') continue;
    const old = await textOf(history, scope, path, before);
    const now = await textOf(history, scope, path, after);
    const note = old.note ?? now.note;
    yield { path, before: old.text, after: now.text, note };
  }
}

interface Reading {
  readonly text: string | undefined;
  readonly note?: string;
}

/** From the store; or from the file itself, as long as it has that content. */
async function textOf(history: History, scope: Scope, path: string, state: EntryState): Promise<Reading> {
  if (state.kind === 'absent') return { text: '' };
  if (state.kind === 'link') return { text: `link to ${state.target}\n` };
  if (state.kind !== 'file' || state.hash === undefined) return { text: undefined, note: 'not kept' };
  if (state.size > MAX_SHOWN_BYTES) return { text: undefined, note: `${state.size} bytes` };
  const bytes = (await currentBytes(scope, path, state.hash)) ?? (await history.content(state, scope.roots));
  if (bytes === undefined)
    return { text: undefined, note: 'the file was changed since, outside of the tools' };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { text: undefined, note: `binary, ${state.size} bytes` };
  }
}

async function currentBytes(scope: Scope, path: string, hash: string): Promise<Uint8Array | undefined> {
  try {
    const current = await scope.describe(path);
    return current.kind === 'file' && current.hash === hash ? (await scope.readBytes(path)).bytes : undefined;
  } catch {
    return undefined;
  }
}
