import * as z from 'zod';
import { REPLACES } from '../annotations.js';
import { defineTool } from '../define-tool.js';
import type { Tool } from '../define-tool.js';
import { textResult } from '../results.js';

export const writeFile: Tool = defineTool({
  name: 'write_file',
  toolset: 'files',
  title: 'Write File',
  description:
    'Create a file or replace its whole content, in one step. Overwrites without asking. The folder must exist.',
  annotations: REPLACES,
  input: () => z.object({ path: z.string(), content: z.string() }),
  paths: ({ path }) => [path],
  handle: async ({ path, content }, context) => {
    const scope = await context.workspace.scope();
    await scope.write(context.expandHome(path), content, { signal: context.signal });
    return textResult(`Successfully wrote to ${path}`);
  },
});
