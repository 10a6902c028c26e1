import * as z from 'zod';
import type { EntryKind } from '@rootward/core';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { dataResult } from '../framework/results.js';

/** A folder with more entries is machine-made; what a model needs of it is found by searching. */
export const LISTING_PAGE = 2000;

type EntryType = z.ZodEnum<{ file: 'file'; directory: 'directory'; link: 'link'; other: 'other' }>;

export function entryType(): EntryType {
  return z.enum(['file', 'directory', 'link', 'other']);
}

export const listDirectory: Tool = defineTool({
  name: 'list_directory',
  toolset: 'files',
  title: 'List Directory',
  description: 'List the files and directories in a directory, by name, marked [FILE] or [DIR].',
  annotations: READS,
  input: () => z.object({ path: z.string(), cursor: cursorArgument() }),
  output: () =>
    z.object({
      entries: z.array(z.object({ name: z.string(), type: entryType() })),
      nextCursor: nextCursorField(),
    }),
  paths: ({ path }) => [path],
  handle: async (args, context) => {
    const cursors = new Cursors('list_directory', args);
    const scope = await context.workspace.scope();
    const listed = await scope.list(context.expandHome(args.path), { signal: context.signal });
    const sorted = listed.sort((a, b) => (a.name < b.name ? -1 : 1));
    const { items, nextCursor } = cursors.page(sorted, LISTING_PAGE);
    const entries = items.map(({ name, kind }) => ({ name, type: kind }));
    return dataResult(
      { entries, ...(nextCursor !== undefined && { nextCursor }) },
      items.map(({ name, kind }) => `${marker(kind)} ${name}`).join('\n') + continuation(nextCursor),
    );
  },
});

/** A link counts as a file, as in the reference server: what it leads to may be out of scope. */
export function marker(kind: EntryKind): string {
  return kind === 'directory' ? '[DIR]' : '[FILE]';
}
