import * as z from 'zod';
import { CHANGES } from '../framework/annotations.js';
import { changeKey } from '../framework/change-queue.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';
import { placesOf, withProblems } from '../code/with-problems.js';

export const moveFile: Tool = defineTool({
  name: 'move_file',
  toolset: 'files',
  title: 'Move File',
  description: 'Move or rename a file or directory. Fails if the destination exists.',
  annotations: CHANGES,
  input: () => z.object({ source: z.string(), destination: z.string(), diagnostics: z.boolean().optional() }),
  paths: ({ source, destination }) => [source, destination],
  handle: async ({ source, destination, diagnostics }, context) => {
    const [from, to] = [context.expandHome(source), context.expandHome(destination)];
    const { signal } = context;
    const scope = await context.workspace.scope();
    // An edit that has read the file before would write it again under its old name.
    const paths = placesOf(scope, from, to);
    return context.changes.run([changeKey(scope, from), changeKey(scope, to)], () =>
      withProblems(context, paths, diagnostics, async () => {
        await scope.rename(from, to, { signal });
        return textResult(`Successfully moved ${source} to ${destination}`);
      }),
    );
  },
});
