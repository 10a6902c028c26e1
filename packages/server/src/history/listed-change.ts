import { sep } from 'node:path';
import type { Scope } from '@rootward/core';
import type { Change, EntryState, History, Step } from '@rootward/core/history';

/** What a change did to one path. */
export interface ListedFile {
  readonly path: string;
  readonly action: 'created' | 'changed' | 'removed' | 'moved';
  /** Where it was before it was moved. */
  readonly from?: string;
  /** How many files a removed folder had. */
  readonly files?: number;
  /** What was there is not kept, and cannot be restored. */
  readonly lost?: boolean;
}

/** A change as it is shown. */
export interface ListedChange {
  readonly id: string;
  readonly time: string;
  readonly tool: string;
  readonly session?: string;
  readonly client?: string;
  readonly files: readonly ListedFile[];
  /** The process ended, or is still at work, in the middle of it. */
  readonly cutOff?: boolean;
  /** The change that has taken it back. */
  readonly undoneBy?: string;
  /** The changes that it took back. */
  readonly undoes?: readonly string[];
  readonly notes?: readonly string[];
}

/** Which changes are asked for. */
export interface ChangeFilter {
  /** Only those that touch this canonical path, or something below it. */
  readonly path?: string | undefined;
  readonly since?: number | undefined;
  readonly session?: string | undefined;
  /** Over HTTP: only those of this principal. */
  readonly principal?: string | undefined;
}

/** A change with how it is shown. */
export interface VisibleChange {
  readonly change: Change;
  readonly listed: ListedChange;
}

/** Changes, newest first, as far as the scope may read what they touched. What is left out is not even counted. */
export async function* visibleChanges(
  history: History,
  scope: Scope,
  filter: ChangeFilter,
  signal?: AbortSignal,
): AsyncGenerator<VisibleChange, void> {
  const undoneBy = new Map<string, string>();
  for await (const change of history.changes(scope.roots, signal)) {
    if (filter.since !== undefined && change.at < filter.since) return;
    if (filter.principal !== undefined && change.principal !== filter.principal) continue;
    // An undo that was undone itself has not taken anything back.
    if (!undoneBy.has(change.id)) for (const id of change.undoes ?? []) undoneBy.set(id, change.id);
    if (filter.session !== undefined && change.session !== filter.session) continue;
    const files = filesOf(change).filter(
      (file) => scope.containsName(file.path) && (file.from === undefined || scope.containsName(file.from)),
    );
    if (files.length === 0 || !files.some((file) => isAsked(file, filter.path))) continue;
    yield { change, listed: describe(change, files, undoneBy.get(change.id)) };
  }
}

function describe(change: Change, files: readonly ListedFile[], undoneBy: string | undefined): ListedChange {
  const { id, at, tool, session, client, undoes, notes, complete } = change;
  return {
    id,
    time: new Date(at).toISOString(),
    tool,
    ...(session !== undefined && { session }),
    ...(client !== undefined && { client }),
    files,
    ...(!complete && { cutOff: true }),
    ...(undoneBy !== undefined && { undoneBy }),
    ...(undoes !== undefined && { undoes }),
    ...(notes.length > 0 && { notes }),
  };
}

/** What became of each path in the end. */
function filesOf(change: Change): readonly ListedFile[] {
  const files = new Map<string, { readonly first: Step; readonly last: Step }>();
  for (const { step } of change.steps) {
    files.set(step.path, { first: files.get(step.path)?.first ?? step, last: step });
  }
  return [...files.values()].map(({ first, last }) => listFile(first, last));
}

function listFile(first: Step, last: Step): ListedFile {
  const { path } = last;
  if ('from' in last) return { path, action: 'moved', from: last.from, ...lossOf(last.before) };
  const { before } = first;
  const count = before.kind === 'tree' ? { files: before.files } : {};
  return { path, action: actionOf(before, last.after), ...count, ...lossOf(before) };
}

function actionOf(before: EntryState, after: EntryState): ListedFile['action'] {
  if (after.kind === 'absent') return 'removed';
  return before.kind === 'absent' ? 'created' : 'changed';
}

function lossOf(before: EntryState): Pick<ListedFile, 'lost'> {
  const lost = before.kind === 'other' || ('lost' in before && before.lost !== undefined);
  return lost ? { lost } : {};
}

function isAsked({ path, from }: ListedFile, asked: string | undefined): boolean {
  if (asked === undefined) return true;
  return [path, from].some((each) => each === asked || each?.startsWith(asked + sep) === true);
}
