import type { OutlineSymbol } from '@rootward/lsp';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool } from '../framework/define-tool.js';
import type { Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';
import { answerCode } from './answer-code.js';

export const outline: Tool = defineTool({
  name: 'outline',
  toolset: 'code',
  title: 'Outline',
  description: 'What a source file declares, as a tree with lines.',
  annotations: READS,
  input: () => z.object({ file: z.string() }),
  paths: ({ file }) => [file],
  handle: ({ file }, context) =>
    answerCode(context, async ({ library, code }) => {
      const { symbols, truncated } = await library.outline(code, { file: context.expandHome(file) });
      const text = symbols.length === 0 ? 'Nothing is declared here' : symbols.flatMap(draw).join('\n');
      return textResult(text, truncated ? 'Inner symbols were left out to keep this short' : undefined);
    }),
});

function draw({ name, kind, line, endLine, children = [] }: OutlineSymbol): readonly string[] {
  const lines = line === endLine ? String(line) : `${line}-${endLine}`;
  return [`${lines}: ${kind} ${name}`, ...children.flatMap(draw).map((child) => `  ${child}`)];
}
