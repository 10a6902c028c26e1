import { RootwardError, type Scope } from '@rootward/core';
import type { Change, ChangeAbout, History, UndoResult } from '@rootward/core/history';
import { visibleChanges, type ChangeFilter } from './listed-change.js';

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
  const result = await undoChanges(history, scope, changes, { ...request, path: filter.path });
  return { ...result, changes: changes.map((change) => change.id) };
}
