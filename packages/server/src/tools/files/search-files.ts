import type { Scope, WalkEntry } from '@rootward/core';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { dataResult } from '../framework/results.js';
import { compileExcludes, compileGlob } from '../../search/glob.js';

/** More matches than anyone reads at once. */
const PAGE = 1000;

export const searchFiles: Tool = defineTool({
  name: 'search_files',
  toolset: 'files',
  title: 'Search Files',
  description:
    'Find files and directories by glob, relative to path: "*.ts" matches in path itself, "**/*.ts" anywhere below. Returns full paths.',
  annotations: READS,
  input: () =>
    z.object({
      path: z.string(),
      pattern: z.string(),
      excludePatterns: z.array(z.string()).optional().default([]),
      respectGitignore: z.boolean().optional(),
      cursor: cursorArgument(),
    }),
  output: () => z.object({ matches: z.array(z.string()), nextCursor: nextCursorField() }),
  paths: ({ path }) => [path],
  handle: async (args, context) => {
    const { path, pattern, excludePatterns, respectGitignore } = args;
    const cursors = new Cursors('search_files', args);
    const { start } = cursors;
    const matches = compileGlob(pattern);
    const excluded = compileExcludes(excludePatterns);
    const scope = await context.workspace.scope();
    const found: string[] = [];
    let seen = 0;
    let nextCursor: string | undefined;
    const entries = scope.walk(context.expandHome(path), {
      gitignore: respectGitignore === true,
      filter: ({ relative }) => !excluded(relative),
      signal: context.signal,
    });
    for await (const entry of entries) {
      if (!matches(entry.relative) || !staysInScope(scope, entry)) continue;
      seen++;
      if (seen <= start) continue;
      if (found.length === PAGE) {
        nextCursor = cursors.at(start + PAGE);
        break;
      }
      found.push(entry.path);
    }
    if (start > 0 && found.length === 0) throw cursors.gone();
    return dataResult(
      { matches: found, ...(nextCursor !== undefined && { nextCursor }) },
      found.length === 0 ? 'No matches found' : found.join('\n') + continuation(nextCursor),
    );
  },
});

/** A link out of scope is not found: nothing could be done with it. */
function staysInScope(scope: Scope, { kind, path }: WalkEntry): boolean {
  return kind !== 'link' || scope.contains(path);
}
