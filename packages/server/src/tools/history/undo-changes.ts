import { RootwardError, type Scope } from '@rootward/core';
import type { History } from '@rootward/core/history';
import * as z from 'zod';
import { visibleChanges, type ChangeFilter } from '../../history/listed-change.js';
import { undoSelected } from '../../history/undo-selection.js';
import { CHANGES } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { dataResult } from '../framework/results.js';
import { historyOf, timeArgument } from './history-arguments.js';

const MAX_SHOWN = 50;
const MAX_NAMED = 10;

export const undoChanges: Tool = defineTool({
  name: 'undo_changes',
  toolset: 'files',
  title: 'Undo Changes',
  description:
    'Take back the change with this id, or all of this session since a time (10m, 2h, a date): files, folders, modes and moves, all or none. Refused where something else changed a file since. The undo has an id, too.',
  annotations: CHANGES,
  input: () =>
    z.object({
      id: z.string().optional(),
      since: z.string().optional(),
      path: z.string().optional(),
      dryRun: z.boolean().optional(),
    }),
  output: () =>
    z.object({
      applied: z.boolean(),
      changes: z.array(z.string()),
      restored: z.array(z.string()),
      lost: z.array(z.string()),
    }),
  paths: ({ path }) => (path === undefined ? [] : [path]),
  handle: async ({ id, since, path, dryRun = false }, context) => {
    if ((id === undefined) === (since === undefined)) {
      throw new RootwardError('invalid-option', 'Cannot undo: expected either id or since', {
        instruction: 'Pass the id of one change, or since, but not both',
      });
    }
    const scope = await context.workspace.scope();
    const { history, mine, session } = await historyOf(context, scope);
    const selection = {
      ...mine,
      id,
      since: timeArgument(since),
      // Another agent may be at work in the same project: its changes are taken back by their ids.
      session: id === undefined ? session : undefined,
      path: path === undefined ? undefined : scope.locate(context.expandHome(path), 'change').path,
    };
    const about = { tool: 'undo_changes', session, ...mine };
    // One undo at a time, and none beside another change: it checks all files before it touches the first.
    const result = await context.changes.run(
      scope.roots.map((root) => root.path),
      () => undoSelected(history, scope, selection, { about, dryRun, signal: context.signal }),
    );
    if (id === undefined && result.changes.length === 0) {
      await refuseOthers(history, scope, { ...selection, session: undefined });
    }
    for (const each of result.restored) context.audit(each, 'allowed');
    const { changes, restored, lost } = result;
    const data = { applied: !dryRun && restored.length > 0, changes, restored, lost, ...idOf(result.id) };
    return dataResult(data, describe(data, dryRun));
  },
});

/** Throws where the only changes are those of other sessions. */
async function refuseOthers(history: History, scope: Scope, filter: ChangeFilter): Promise<void> {
  const others: string[] = [];
  for await (const { listed } of visibleChanges(history, scope, filter)) {
    if (others.length === MAX_NAMED) break;
    if (listed.undoneBy === undefined) others.push(listed.id);
  }
  if (others.length === 0) return;
  throw new RootwardError(
    'unknown-change',
    `Cannot undo: this session changed nothing there; the changes ${others.join(', ')} belong to other sessions`,
    { instruction: 'Call undo_changes with the id of one change, newest first; change_history shows them' },
  );
}

function idOf(changeId: string | undefined): { readonly changeId?: string } {
  return changeId === undefined ? {} : { changeId };
}

function describe(
  { restored, lost }: { readonly restored: readonly string[]; readonly lost: readonly string[] },
  dryRun: boolean,
): string {
  if (restored.length === 0) return 'Nothing to undo';
  const head = dryRun ? 'Would restore; nothing was changed:' : 'Restored:';
  const more = restored.length > MAX_SHOWN ? [`and ${restored.length - MAX_SHOWN} more`] : [];
  const missing = lost.map((path) => `[not kept, and so not restored: ${path}]`);
  return [head, ...restored.slice(0, MAX_SHOWN), ...more, ...missing].join('\n');
}
