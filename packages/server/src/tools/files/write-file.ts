import * as z from 'zod';
import { REPLACES } from '../framework/annotations.js';
import { changeKey } from '../framework/change-queue.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';
import { withProblems } from '../code/with-problems.js';
import { writeAsSeen } from './write-as-seen.js';

export const writeFile: Tool = defineTool({
  name: 'write_file',
  toolset: 'files',
  title: 'Write File',
  description:
    'Create a file or replace its whole content, in one step. Refused once where it changed since you last saw it, unless overwrite. undo_changes takes it back. The folder must exist.',
  annotations: REPLACES,
  input: () =>
    z.object({
      path: z.string(),
      content: z.string(),
      overwrite: z.boolean().optional(),
      diagnostics: z.boolean().optional(),
    }),
  paths: ({ path }) => [path],
  handle: async ({ path: asked, content, overwrite, diagnostics }, context) => {
    const path = context.expandHome(asked);
    const scope = await context.workspace.scope();
    // An edit that has read the file before would undo this.
    return context.changes.run([changeKey(scope, path)], () =>
      withProblems(context, [path], diagnostics, async () => {
        if (overwrite === true) await scope.write(path, content, { signal: context.signal });
        else await writeAsSeen({ scope, path, asked, content }, context);
        return textResult(`Successfully wrote to ${asked}`);
      }),
    );
  },
});
