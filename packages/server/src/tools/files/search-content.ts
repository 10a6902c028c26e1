import { RootwardError, type Scope } from '@rootward/core';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { requireClearTree } from '../framework/require-clear-tree.js';
import { dataResult } from '../framework/results.js';
import type { ToolContext } from '../framework/tool-context.js';
import { ContentSearch, type FileMatch } from '../../search/content-search.js';
import { compileNameGlob } from '../../search/glob.js';
import { LinePattern } from '../../search/line-pattern.js';
import { searchCandidates } from '../../search/search-candidates.js';

const PAGE = 200;

export const searchContent: Tool = defineTool({
  name: 'search_content',
  toolset: 'files',
  title: 'Search Content',
  description:
    'Search the lines of files with a regular expression (grep), in path or in all roots. Leaves out what .gitignore does unless respectGitignore is false.',
  annotations: READS,
  input: () =>
    z.object({
      path: z.string().optional(),
      pattern: z.string().min(1),
      glob: z.string().optional().describe('Which files, such as "*.ts" or "src/**"'),
      ignoreCase: z.boolean().optional(),
      respectGitignore: z.boolean().optional().default(true),
      cursor: cursorArgument(),
    }),
  output: () =>
    z.object({
      matches: z.array(
        z.object({ path: z.string(), line: z.number(), column: z.number(), text: z.string() }),
      ),
      unreadableFiles: z.number(),
      unfinishedFiles: z.number(),
      nextCursor: nextCursorField(),
    }),
  paths: ({ path }) => (path === undefined ? [] : [path]),
  handle: async (args, context) => {
    const { path, glob } = args;
    const pattern = new LinePattern(args.pattern, args.ignoreCase === true);
    const cursors = new Cursors('search_content', args);
    const { start } = cursors;
    const scope = await context.workspace.scope();
    const where = path === undefined ? undefined : context.expandHome(path);
    if (where === undefined) await requireClearTree(context);
    const candidates = searchCandidates(scope, where, {
      matches: glob === undefined ? () => true : compileNameGlob(glob),
      gitignore: args.respectGitignore,
      signal: context.signal,
    });
    // One more tells whether there is another page.
    const search = new ContentSearch({ scope, pattern, skip: start, limit: PAGE + 1, context });
    await search.run(candidates);
    // In a folder it is one of many that have no lines; who names it would take it for searched.
    if (where !== undefined && search.notText === 1 && (await isFile(scope, where))) throw notText(where);
    if (start > 0 && search.found.length === 0) throw cursors.gone();
    const matches = search.found.slice(0, PAGE);
    if (path === undefined) auditShown(matches, context);
    const nextCursor = search.found.length > PAGE ? cursors.at(start + PAGE) : undefined;
    const { unreadable: unreadableFiles, unfinished: unfinishedFiles } = search;
    const notes =
      note('not searched, because the system does not permit it', unreadableFiles) +
      note(
        'not searched to the end, because lines are too long, or too long for this pattern, or the rest is not UTF-8 text',
        unfinishedFiles,
      );
    return dataResult(
      { matches, unreadableFiles, unfinishedFiles, ...(nextCursor !== undefined && { nextCursor }) },
      describe(matches) + notes + continuation(nextCursor),
    );
  },
});

async function isFile(scope: Scope, path: string): Promise<boolean> {
  return (await scope.stat(path)).kind === 'file';
}

function notText(path: string): RootwardError {
  return new RootwardError('not-text', `Cannot search ${JSON.stringify(path)}: it is not UTF-8 text`, {
    path,
  });
}

/** Who names no path is shown those of the matches. */
function auditShown(matches: readonly FileMatch[], context: ToolContext): void {
  for (const path of new Set(matches.map((match) => match.path))) context.audit(path, 'allowed');
}

function describe(matches: readonly FileMatch[]): string {
  if (matches.length === 0) return 'No matches found';
  return matches.map(({ path, line, text }) => `${path}:${line}: ${text}`).join('\n');
}

function note(what: string, count: number): string {
  return count === 0 ? '' : `\n[${what}: ${count} files]`;
}
