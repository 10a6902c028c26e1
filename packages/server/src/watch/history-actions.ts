import type { Scope } from '@rootward/core';
import type { History } from '@rootward/core/history';
import { fileDiff } from '../edit/unified-diff.js';
import { changedTexts } from '../history/change-contents.js';
import { visibleChanges } from '../history/listed-change.js';
import { undoSelected } from '../history/undo-selection.js';
import type { ShownChange, ShownDifference, UndoOutcome } from './protocol.js';

/** A page shows the newest; the command line has all. */
const MAX_CHANGES = 100;

/** The newest changes that a session may see. */
export async function listChanges(history: History, scope: Scope): Promise<readonly ShownChange[]> {
  const shown: ShownChange[] = [];
  for await (const { listed } of visibleChanges(history, scope, {})) {
    const { id, time, tool, files, undoneBy } = listed;
    shown.push({
      id,
      time,
      tool,
      undone: undoneBy !== undefined,
      files: files.map(({ path, action }) => ({ path, action })),
    });
    if (shown.length === MAX_CHANGES) break;
  }
  return shown;
}

/** What one change did, file by file, as unified diffs. */
export async function showDifference(
  history: History,
  scope: Scope,
  id: string,
): Promise<readonly ShownDifference[]> {
  for await (const { change } of visibleChanges(history, scope, {})) {
    if (change.id !== id) continue;
    const shown: ShownDifference[] = [];
    for await (const { path, before, after, note } of changedTexts(history, scope, change)) {
      const diff =
        before === undefined || after === undefined ? undefined : await fileDiff(path, before, after);
      shown.push({
        path,
        diff: diff ?? '',
        note: diff === undefined ? (note ?? 'too large to compare') : '',
      });
    }
    return shown;
  }
  throw new Error('Cannot show the change: it is no longer kept');
}

/** Takes one change back, all of it or nothing. */
export async function undoChange(history: History, scope: Scope, id: string): Promise<UndoOutcome> {
  const { restored, lost } = await undoSelected(history, scope, { id }, { about: { tool: 'rootward ui' } });
  return { restored, lost };
}
