import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool } from '../framework/define-tool.js';
import type { Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';
import { answerCode, caveats } from './answer-code.js';
import { symbolArguments } from './symbol-argument.js';

export const definition: Tool = defineTool({
  name: 'definition',
  toolset: 'code',
  title: 'Definition',
  description:
    'Where a symbol is defined, with source, type and documentation. Needs a file it stands in; line is a hint.',
  annotations: READS,
  input: () => z.object(symbolArguments()),
  paths: ({ file }) => [file],
  handle: (args, context) =>
    answerCode(context, async ({ library, code }) => {
      const request = { ...args, file: context.expandHome(args.file) };
      const { definitions, hover, outside, notes } = await library.definition(code, request);
      for (const { file } of definitions) context.audit(file, 'allowed');
      const parts = definitions.map(({ file, line, source }) => `${file}:${line}\n${source}`);
      const text = [...parts, ...(hover === undefined ? [] : [hover])].join('\n\n');
      return textResult((text === '' ? 'No definition found' : text) + caveats({ outside, notes }));
    }),
});
