import * as z from 'zod';
import { CHANGES } from '../annotations.js';
import { defineTool } from '../define-tool.js';
import type { Tool } from '../define-tool.js';
import { textResult } from '../results.js';

export const deleteFile: Tool = defineTool({
  name: 'delete_file',
  toolset: 'files',
  title: 'Delete File',
  description:
    'Delete a file, a link (never what it leads to) or an empty directory; with recursive, a directory and all in it.',
  annotations: CHANGES,
  input: () => z.object({ path: z.string(), recursive: z.boolean().optional() }),
  paths: ({ path }) => [path],
  handle: async ({ path, recursive }, context) => {
    const scope = await context.workspace.scope();
    const { signal } = context;
    await scope.remove(context.expandHome(path), { recursive: recursive === true, signal });
    return textResult(`Successfully deleted ${path}`);
  },
});
