import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { dataResult } from '../framework/results.js';

/** More roots than anyone reads; a client with thousands gets them page by page. */
const PAGE = 500;

export const listAllowedDirectories: Tool = defineTool({
  name: 'list_allowed_directories',
  toolset: 'files',
  title: 'List Allowed Directories',
  description: 'The directories (roots) these tools may touch, with all below them.',
  annotations: READS,
  input: () => z.object({ cursor: cursorArgument() }),
  output: () => z.object({ directories: z.array(z.string()), nextCursor: nextCursorField() }),
  handle: async (args, context) => {
    const cursors = new Cursors('list_allowed_directories', args);
    const roots = await context.workspace.roots();
    await context.workspace.rootsShown();
    const { items, nextCursor } = cursors.page(roots, PAGE);
    const directories = items.map((root) => root.path);
    return dataResult(
      { directories, ...(nextCursor !== undefined && { nextCursor }) },
      `Allowed directories:\n${directories.join('\n')}${continuation(nextCursor)}`,
    );
  },
});
