import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { textResult } from '../framework/results.js';
import { answerCode, caveats, caveatsOf } from './answer-code.js';
import { emptyAnswer, shortPath, symbolLabel } from './describe-code.js';
import { symbolArguments } from './symbol-argument.js';

const KINDS = ['implementations', 'callers', 'callees', 'supertypes', 'subtypes', 'type_definition'] as const;

export const symbolRelations: Tool = defineTool({
  name: 'symbol_relations',
  toolset: 'code',
  title: 'Symbol Relations',
  description: 'What implements, calls, is called by, extends or is extended by a symbol, or its type.',
  annotations: READS,
  input: () => z.strictObject({ ...symbolArguments(), kind: z.enum(KINDS) }),
  paths: ({ file }) => [file],
  handle: (args, context) =>
    answerCode(context, async ({ library, code }) => {
      const request = { ...args, file: context.expandHome(args.file) };
      const { related, ...answer } = await library.symbolRelations(code, request);
      const files = new Map<string, string[]>();
      for (const { file, line, at = [], ...symbol } of related) {
        context.audit(file, 'allowed');
        const calls = at.length === 0 ? '' : ` (at ${at.join(', ')})`;
        const known = files.get(file) ?? [shortPath(code.scope, file)];
        known.push(` ${line} ${symbolLabel(symbol)}${calls}`);
        files.set(file, known);
      }
      const lines = [...files.values()].flat();
      if (lines.length === 0) {
        return textResult(emptyAnswer(`No ${args.kind.replace('_', ' ')} found`, caveatsOf(answer)));
      }
      return textResult(lines.join('\n') + caveats(answer));
    }),
});
