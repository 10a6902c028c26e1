import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool } from '../framework/define-tool.js';
import type { Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { dataResult } from '../framework/results.js';
import { answerCode, caveats } from './answer-code.js';
import { symbolArguments } from './symbol-argument.js';

export const references: Tool = defineTool({
  name: 'references',
  toolset: 'code',
  title: 'References',
  description: 'Where a symbol is used, in all roots, by file.',
  annotations: READS,
  input: () => z.object({ ...symbolArguments(), cursor: cursorArgument() }),
  output: () =>
    z.object({
      files: z.array(z.object({ file: z.string(), lines: z.array(z.string()) })),
      total: z.number(),
      complete: z.boolean(),
      outside: z.number(),
      notes: z.array(z.string()),
      nextCursor: nextCursorField(),
    }),
  paths: ({ file }) => [file],
  handle: (args, context) =>
    answerCode(context, async ({ library, code }) => {
      const cursors = new Cursors('references', args);
      const request = { ...args, cursor: cursors.position, file: context.expandHome(args.file) };
      const { symbol: _symbol, files: places, ...page } = await library.references(code, request);
      const found = cursors.mark(page);
      for (const { file } of places) context.audit(file, 'allowed');
      const files = places.map(({ file, references: uses }) => ({
        file,
        lines: uses.map(({ line, text: content }) => `${line}: ${content}`),
      }));
      const lines = files.flatMap((place) => [place.file, ...place.lines.map((line) => `  ${line}`)]);
      const text = lines.length === 0 ? 'No references found' : lines.join('\n');
      return dataResult({ files, ...found }, text + caveats(found) + continuation(found.nextCursor));
    }),
});
