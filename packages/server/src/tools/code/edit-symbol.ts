import * as z from 'zod';
import { fitsAnswer } from '../../answer-size.js';
import { unifiedDiff } from '../../edit/unified-diff.js';
import { CHANGES } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';
import { answerCode } from './answer-code.js';
import { shortPath } from './describe-code.js';
import { symbolArguments } from './symbol-argument.js';
import { withProblems } from './with-problems.js';

export const editSymbol: Tool = defineTool({
  name: 'edit_symbol',
  toolset: 'code',
  title: 'Edit Symbol',
  description:
    'Replace a declaration, put text before or after it, or delete it if unused. Keeps indentation. Returns a diff.',
  annotations: CHANGES,
  input: () =>
    z.strictObject({
      ...symbolArguments(),
      action: z.enum(['replace', 'insert_before', 'insert_after', 'delete']),
      text: z.string().optional(),
      diagnostics: z.boolean().optional(),
    }),
  paths: ({ file }) => [file],
  handle: ({ diagnostics, ...args }, context) =>
    answerCode(context, ({ library, code }) => {
      const file = context.expandHome(args.file);
      const { path } = code.scope.locate(file, 'change');
      return withProblems(context, [path], diagnostics, async () => {
        const { before, after, line } = await library.editSymbol(code, {
          ...args,
          file,
          exclusively: (changed, write) => context.changes.run([changed], write),
        });
        const diff = await unifiedDiff(shortPath(code.scope, path), before, after);
        const isShown = diff !== undefined && fitsAnswer(diff);
        return textResult(
          isShown ? diff : `Edited ${args.file} at line ${line}; the change is too large to show`,
        );
      });
    }),
});
