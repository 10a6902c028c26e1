import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { requireClearTree } from '../framework/require-clear-tree.js';
import { dataResult } from '../framework/results.js';
import { answerCode, caveats, fromSyntax } from './answer-code.js';
import { emptyAnswer, shortPath, symbolLabel } from './describe-code.js';

export const findSymbol: Tool = defineTool({
  name: 'find_symbol',
  toolset: 'code',
  title: 'Find Symbol',
  description:
    'Find where symbols whose name contains query are declared; Outer.name finds members. root: a root or a folder.',
  annotations: READS,
  input: () => z.strictObject({ query: z.string(), root: z.string().optional() }),
  output: () =>
    z.object({
      files: z.array(
        z.object({
          file: z.string(),
          symbols: z.array(z.string()),
        }),
      ),
      total: z.number(),
      complete: z.boolean(),
      notes: z.array(z.string()),
    }),
  handle: ({ query, root }, context) =>
    answerCode(context, async ({ library, code }) => {
      if (root === undefined) await requireClearTree(context);
      const { files: found, total, complete, ...answer } = await library.findSymbol(code, { query, root });
      const notes = fromSyntax(answer.from, answer.notes);
      for (const { file } of found) context.audit(file, 'allowed');
      const files = found.map(({ file, symbols }) => ({
        file: shortPath(code.scope, file),
        symbols: symbols.map((symbol) => `${symbol.line} ${symbolLabel(symbol)}`),
      }));
      const lines = files.flatMap(({ file, symbols }) => [file, ...symbols.map((symbol) => ` ${symbol}`)]);
      const data = { files, total, complete, notes };
      if (!answer.searched) return dataResult(data, notes.join('\n'));
      const text = total === 0 ? 'No symbols found' : lines.join('\n');
      // What keeps an answer from being whole is why it is empty.
      if (total === 0 && !complete) return dataResult(data, emptyAnswer(text, notes));
      return dataResult(data, text + caveats({ complete, notes }));
    }),
});
