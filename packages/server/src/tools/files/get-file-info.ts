import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { dataResult } from '../framework/results.js';

export const getFileInfo: Tool = defineTool({
  name: 'get_file_info',
  toolset: 'files',
  title: 'Get File Info',
  description: 'Size, times, type and permissions of a file or directory.',
  annotations: READS,
  input: () => z.object({ path: z.string() }),
  output: () =>
    z.object({
      size: z.number(),
      created: z.string(),
      modified: z.string(),
      accessed: z.string(),
      isDirectory: z.boolean(),
      isFile: z.boolean(),
      permissions: z.string(),
    }),
  paths: ({ path }) => [path],
  handle: async ({ path }, context) => {
    const scope = await context.workspace.scope();
    const stats = await scope.stat(context.expandHome(path));
    const info = {
      size: stats.size,
      created: stats.created,
      modified: stats.modified,
      accessed: stats.accessed,
      isDirectory: stats.kind === 'directory',
      isFile: stats.kind === 'file',
      permissions: (stats.mode & 0o777).toString(8).padStart(3, '0'),
    };
    const text = Object.entries(info).map(([key, value]) => `${key}: ${String(value)}`);
    const times = {
      created: stats.created.toISOString(),
      modified: stats.modified.toISOString(),
      accessed: stats.accessed.toISOString(),
    };
    return dataResult({ ...info, ...times }, text.join('\n'));
  },
});
