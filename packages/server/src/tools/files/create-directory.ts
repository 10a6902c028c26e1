import * as z from 'zod';
import { ADDS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';

export const createDirectory: Tool = defineTool({
  name: 'create_directory',
  toolset: 'files',
  title: 'Create Directory',
  description: 'Create a directory and its missing parents. An existing one is fine.',
  annotations: ADDS,
  input: () => z.object({ path: z.string() }),
  paths: ({ path }) => [path],
  handle: async ({ path }, context) => {
    const scope = await context.workspace.scope();
    await scope.mkdir(context.expandHome(path), { recursive: true });
    return textResult(`Successfully created directory ${path}`);
  },
});
