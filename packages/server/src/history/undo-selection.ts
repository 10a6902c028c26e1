import { RootwardError, type Scope } from '@rootward/core';
import type { Change, ChangeAbout, History, UndoResult } from '@rootward/core/history';
import { visibleChanges, type ChangeFilter, type ListedChange } from './listed-change.js';

/** What is to be taken back: one change, or all since a point in time. */
export interface UndoSelection extends ChangeFilter {
  readonly id?: string | undefined;
}

export interface UndoRequest {
  readonly about: ChangeAbout;
  readonly dryRun?: boolean | undefined;
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((files: number) => void) | undefined;
}

/** Takes back what is selected, as far as it may be seen. */
export async function undoSelected(
  history: History,
  scope: Scope,
  selection: UndoSelection,
  request: UndoRequest,
): Promise<UndoResult & { readonly changes: readonly string[] }> {
  const changes: Change[] = [];
  const { id, ...filter } = selection;
  for await (const { change } of visibleChanges(history, scope, filter, request.signal)) {
    if (id !== undefined && change.id !== id) continue;
    changes.push(change);
    if (id !== undefined) break;
  }
  if (id !== undefined && changes.length === 0) {
    throw new RootwardError(
      'unknown-change',
      `Cannot undo ${JSON.stringify(id)}: there is no such change here`,
      {
        instruction: 'Call change_history for the changes there are',
      },
    );
  }
  const { undoChanges } = await import('@rootward/core/history');
  const ids = changes.map((change) => change.id);
  try {
    return {
      ...(await undoChanges(history, scope, changes, { ...request, path: filter.path })),
      changes: ids,
    };
  } catch (error) {
    const isLater = error instanceof RootwardError && error.code === 'changed-since';
    throw isLater ? await withLaterChanges(error, history, scope, { ...filter, ids }) : error;
  }
}

const MAX_NAMED = 10;

/** Names the changes that came after those that were to be taken back. */
async function withLaterChanges(
  error: RootwardError,
  history: History,
  scope: Scope,
  { ids, principal }: Pick<ChangeFilter, 'principal'> & { readonly ids: readonly string[] },
): Promise<RootwardError> {
  const { code, message, path } = error;
  const found: ListedChange[] = [];
  for await (const { listed } of visibleChanges(history, scope, { principal, path })) {
    if (ids.includes(listed.id)) break;
    found.push(listed);
  }
  // A change that was undone, and the undo of it, leave nothing to undo.
  const passed = new Set(found.map(({ id }) => id));
  const isOver = ({ undoneBy, undoes = [''] }: ListedChange): boolean =>
    undoneBy !== undefined || undoes.every((id) => passed.has(id));
  const later = found.filter((each) => !isOver(each)).map(({ id }) => id);
  const byHand = 'who can use the command "undo" of rootward with --force';
  const instruction =
    later.length === 0
      ? `Something other than these tools changed it: tell the user, ${byHand}`
      : `Undo newer changes first, in this order: ${later.slice(0, MAX_NAMED).join(', ')}; or tell the user, ${byHand}`;
  return new RootwardError(code, message, { ...(path !== undefined && { path }), instruction, cause: error });
}
