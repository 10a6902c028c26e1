import * as z from 'zod';
import { visibleChanges, type ListedChange } from '../../history/listed-change.js';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { dataResult } from '../framework/results.js';
import { historyOf, timeArgument } from './history-arguments.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
const MAX_FILES = 20;

export const changeHistory: Tool = defineTool({
  name: 'change_history',
  toolset: 'files',
  title: 'Change History',
  description:
    'List changes made through these tools, newest first, with the ids that undo_changes takes. since: 10m, 2h, 1d or a date.',
  annotations: READS,
  input: () =>
    z.object({
      path: z.string().optional(),
      since: z.string().optional(),
      limit: z.int().min(1).max(MAX_LIMIT).optional(),
    }),
  output: () => z.object({ changes: z.array(z.unknown()), more: z.boolean() }),
  paths: ({ path }) => (path === undefined ? [] : [path]),
  handle: async ({ path, since, limit = DEFAULT_LIMIT }, context) => {
    const scope = await context.workspace.scope();
    const { history, mine } = await historyOf(context, scope);
    const filter = {
      ...mine,
      path: path === undefined ? undefined : scope.locate(context.expandHome(path)).path,
      since: timeArgument(since),
    };
    const changes: ListedChange[] = [];
    let more = false;
    for await (const { listed } of visibleChanges(history, scope, filter, context.signal)) {
      more = changes.length === limit;
      if (more) break;
      changes.push(shorten(listed));
    }
    const text = changes.length === 0 ? 'No changes' : changes.map(describe).join('\n');
    const narrower = limit < MAX_LIMIT ? 'a higher limit' : 'path or since for those of one place or time';
    return dataResult({ changes, more }, more ? `${text}\n[there are more; pass ${narrower}]` : text);
  },
});

function shorten(change: ListedChange): ListedChange {
  const rest = change.files.length - MAX_FILES;
  if (rest <= 0) return change;
  return {
    ...change,
    files: change.files.slice(0, MAX_FILES),
    notes: [...(change.notes ?? []), `and ${rest} more files`],
  };
}

function describe({ id, time, tool, files, undoneBy, cutOff, notes = [] }: ListedChange): string {
  const marks = [
    ...(undoneBy === undefined ? [] : [`undone by ${undoneBy}`]),
    ...(cutOff === true ? ['cut off'] : []),
    ...notes,
  ];
  const lines = files.map(({ action, path, from, lost }) => {
    const what = from === undefined ? path : `${from} → ${path}`;
    return `  ${action} ${what}${lost === true ? ' (not kept)' : ''}`;
  });
  return [`${id} ${time} ${tool}${marks.map((mark) => ` [${mark}]`).join('')}`, ...lines].join('\n');
}
