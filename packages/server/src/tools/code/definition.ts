import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';
import { answerCode, caveats, caveatsOf, fromSyntax } from './answer-code.js';
import { emptyAnswer, shortPath } from './describe-code.js';
import { symbolArguments } from './symbol-argument.js';

export const definition: Tool = defineTool({
  name: 'definition',
  toolset: 'code',
  title: 'Definition',
  description:
    'Where a symbol is defined, with source (all with body), type and documentation. Needs a file it stands in; line is a hint.',
  annotations: READS,
  input: () => z.strictObject({ ...symbolArguments(), body: z.boolean().optional() }),
  paths: ({ file }) => [file],
  handle: (args, context) =>
    answerCode(context, async ({ library, code }) => {
      const request = { ...args, file: context.expandHome(args.file) };
      const { definitions, hover, outside, ...found } = await library.definition(code, request);
      const notes = fromSyntax(found.from, found.notes);
      for (const { file } of definitions) context.audit(file, 'allowed');
      const parts = definitions.map(({ file, line, source, cut }) => {
        const more = cut === 0 ? '' : `\n… ${cut} more lines${args.body === true ? '' : ': pass body: true'}`;
        return `${shortPath(code.scope, file)}:${line}\n${source}${more}`;
      });
      const text = [...parts, ...(hover === undefined ? [] : [hover])].join('\n\n');
      if (text === '') return textResult(emptyAnswer('No definition found', caveatsOf({ outside, notes })));
      return textResult(text + caveats({ outside, notes }));
    }),
});
