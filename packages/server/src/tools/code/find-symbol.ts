import type { FoundSymbol } from '@rootward/lsp';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool } from '../framework/define-tool.js';
import type { Tool } from '../framework/define-tool.js';
import { dataResult } from '../framework/results.js';
import { answerCode, caveats } from './answer-code.js';

export const findSymbol: Tool = defineTool({
  name: 'find_symbol',
  toolset: 'code',
  title: 'Find Symbol',
  description:
    'Find where functions, classes and other symbols whose name contains query are declared, in all roots or one.',
  annotations: READS,
  input: () => z.object({ query: z.string(), root: z.string().optional() }),
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
      const { files: found, total, complete, notes } = await library.findSymbol(code, { query, root });
      for (const { file } of found) context.audit(file, 'allowed');
      const files = found.map(({ file, symbols }) => ({ file, symbols: symbols.map(describe) }));
      const lines = files.flatMap(({ file, symbols }) => [file, ...symbols.map((symbol) => `  ${symbol}`)]);
      const text = lines.length === 0 ? 'No symbols found' : lines.join('\n');
      // The notes say what is missing, and why.
      const caveat = caveats({ notes: complete ? notes : ['may be incomplete', ...notes] });
      return dataResult({ files, total, complete, notes }, text + caveat);
    }),
});

function describe({ name, kind, line, container }: FoundSymbol): string {
  return `${line}: ${kind} ${container === undefined ? '' : `${container}.`}${name}`;
}
