import type { OutlineSymbol } from '@rootward/lsp';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';
import { answerCode, caveats, fromSyntax } from './answer-code.js';
import { symbolLabel } from './describe-code.js';

export const outline: Tool = defineTool({
  name: 'outline',
  toolset: 'code',
  title: 'Outline',
  description:
    'What a source file declares, as a tree with lines. depth adds locals and imports; body adds sources.',
  annotations: READS,
  input: () =>
    z.strictObject({
      file: z.string(),
      depth: z.number().int().min(1).optional(),
      body: z.boolean().optional(),
    }),
  paths: ({ file }) => [file],
  handle: ({ file, ...how }, context) =>
    answerCode(context, async ({ library, code }) => {
      const {
        symbols,
        truncated,
        from,
        notes = [],
      } = await library.outline(code, { ...how, file: context.expandHome(file) });
      const text = symbols.length === 0 ? 'Nothing is declared here' : symbols.flatMap(draw).join('\n');
      const notice = truncated ? 'Inner symbols were left out to keep this short' : undefined;
      return textResult(text + caveats({ notes: fromSyntax(from, notes) }), notice);
    }),
});

function draw({ name, kind, line, endLine, source, children = [] }: OutlineSymbol): readonly string[] {
  const lines = line === endLine ? String(line) : `${line}-${endLine}`;
  return [
    `${lines} ${symbolLabel({ kind, name })}`,
    ...(source === undefined ? [] : [source]),
    ...children.flatMap(draw).map((child) => `  ${child}`),
  ];
}
