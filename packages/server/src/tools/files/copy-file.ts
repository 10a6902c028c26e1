import * as z from 'zod';
import { ADDS } from '../framework/annotations.js';
import { defineTool, type CompleteAnnotations, type Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';

/** Only adds, but fails the second time: the destination exists by then. */
const COPIES: CompleteAnnotations = { ...ADDS, idempotentHint: false };

export const copyFile: Tool = defineTool({
  name: 'copy_file',
  toolset: 'files',
  title: 'Copy File',
  description: 'Copy one file. Fails if the destination exists.',
  annotations: COPIES,
  input: () => z.object({ source: z.string(), destination: z.string() }),
  paths: ({ source, destination }) => [source, destination],
  handle: async ({ source, destination }, context) => {
    const scope = await context.workspace.scope();
    const { signal } = context;
    const [from, to] = [context.expandHome(source), context.expandHome(destination)];
    await scope.copy(from, to, { signal });
    return textResult(`Successfully copied ${source} to ${destination}`);
  },
});
