import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { requireClearTree } from '../framework/require-clear-tree.js';
import { dataResult } from '../framework/results.js';
import { answerCode, caveats, caveatsOf } from './answer-code.js';
import { emptyAnswer, shortPath } from './describe-code.js';

export const diagnostics: Tool = defineTool({
  name: 'diagnostics',
  toolset: 'code',
  title: 'Diagnostics',
  description:
    'Errors and warnings for a file, or for the files of a root in pages. restart starts the language servers anew.',
  annotations: READS,
  input: () =>
    z.strictObject({
      file: z.string().optional(),
      root: z.string().optional(),
      restart: z.boolean().optional(),
      cursor: cursorArgument(),
    }),
  output: () =>
    z.object({
      files: z.array(
        z.object({
          file: z.string(),
          diagnostics: z.array(z.string()),
        }),
      ),
      checked: z.number(),
      complete: z.boolean(),
      notes: z.array(z.string()),
      nextCursor: nextCursorField(),
    }),
  paths: ({ file }) => (file === undefined ? [] : [file]),
  handle: (args, context) =>
    answerCode(context, async ({ library, code }) => {
      if (args.file === undefined && args.root === undefined) await requireClearTree(context);
      const cursors = new Cursors('diagnostics', args);
      const file = args.file === undefined ? undefined : context.expandHome(args.file);
      const request = { root: args.root, restart: args.restart, cursor: cursors.position, file };
      const { files: found, ...page } = await library.diagnostics(code, request);
      const report = cursors.mark(page);
      for (const { file: path } of found) context.audit(path, 'allowed');
      const files = found.map(({ file: path, diagnostics: items }) => ({
        file: shortPath(code.scope, path),
        diagnostics: items.map(
          ({ line, column, severity, message }) => `${line}:${column}: ${severity}: ${message}`,
        ),
      }));
      const lines = files.flatMap((entry) => entry.diagnostics.map((item) => `${entry.file}:${item}`));
      const data = { files, ...report };
      const more = continuation(report.nextCursor);
      const nothing = `Nothing found (files checked: ${report.checked})`;
      if (lines.length === 0) return dataResult(data, emptyAnswer(nothing, caveatsOf(report)) + more);
      return dataResult(data, lines.join('\n') + caveats(report) + more);
    }),
});
