import * as z from 'zod';
import { CHANGES } from '../framework/annotations.js';
import { changeKey } from '../framework/change-queue.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';
import { placesOf, withProblems } from '../code/with-problems.js';

export const deleteFile: Tool = defineTool({
  name: 'delete_file',
  toolset: 'files',
  title: 'Delete File',
  description:
    'Delete a file, a link (not what it leads to) or an empty directory; with recursive, all in it. undo_changes brings it back.',
  annotations: CHANGES,
  input: () =>
    z.object({ path: z.string(), recursive: z.boolean().optional(), diagnostics: z.boolean().optional() }),
  paths: ({ path }) => [path],
  handle: async ({ path: asked, recursive, diagnostics }, context) => {
    const path = context.expandHome(asked);
    const { signal } = context;
    const scope = await context.workspace.scope();
    // An edit that has read the file before would bring it back.
    return context.changes.run([changeKey(scope, path)], () =>
      withProblems(context, placesOf(scope, path), diagnostics, async () => {
        await scope.remove(path, { recursive: recursive === true, signal });
        return textResult(`Successfully deleted ${asked}`);
      }),
    );
  },
});
