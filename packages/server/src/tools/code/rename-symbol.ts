import * as z from 'zod';
import { CHANGES } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { dataResult } from '../framework/results.js';
import { answerCode, caveats } from './answer-code.js';
import { shortPath } from './describe-code.js';
import { symbolArguments } from './symbol-argument.js';
import { compareProblems } from './with-problems.js';

/** One rename at a time: two that touch the same files would each be refused half way. */
const QUEUE = 'rename_symbol';

const UNDONE = 'undone, because an earlier rename was cut off';

export const renameSymbol: Tool = defineTool({
  name: 'rename_symbol',
  toolset: 'code',
  title: 'Rename Symbol',
  description:
    'Rename a symbol in all roots. Shows the changes; apply makes all or none, and with allowPartial also where uses may be left.',
  annotations: CHANGES,
  input: () =>
    z.strictObject({
      ...symbolArguments(),
      newName: z.string(),
      apply: z.boolean().optional(),
      allowPartial: z.boolean().optional(),
      diagnostics: z.boolean().optional(),
    }),
  output: () =>
    z.object({
      applied: z.boolean(),
      edits: z.number(),
      files: z.array(z.object({ file: z.string(), lines: z.array(z.string()) })),
      complete: z.boolean(),
      notes: z.array(z.string()),
    }),
  paths: ({ file }) => [file],
  handle: ({ diagnostics, ...args }, context) =>
    answerCode(context, (session) =>
      context.changes.run([QUEUE], async () => {
        const { library, code, journal } = session;
        let problems: readonly string[] = [];
        const request = {
          ...args,
          file: context.expandHome(args.file),
          // An edit that has read a file before would undo its part of the rename.
          exclusively: (paths: readonly string[], write: () => Promise<void>) =>
            context.changes.run(paths, async () => {
              if (diagnostics ?? context.diagnostics)
                ({ problems } = await compareProblems(session, paths, write));
              else await write();
            }),
        };
        const { recovered, files: changed, ...result } = await library.renameSymbol(code, request, journal);
        if (result.applied) for (const { file } of changed) context.audit(file, 'allowed');
        const undone = recovered.flatMap(({ restored, left }) =>
          restored.concat(left.map((file) => `${file} (changed since, left as it is)`)),
        );
        const files = changed.map(({ file, lines }) => ({
          file: shortPath(code.scope, file),
          lines: lines.map(({ line, before, after }) => `${line}: ${before} → ${after}`),
        }));
        const notes = [...result.notes, ...problems, ...undone.map((each) => `${UNDONE}: ${each}`)];
        const data = { ...result, notes, files };
        return dataResult(data, describe(data) + caveats(data));
      }),
    ),
});

interface Renamed {
  readonly applied: boolean;
  readonly edits: number;
  readonly files: readonly { readonly file: string; readonly lines: readonly string[] }[];
}

function describe({ applied, edits, files }: Renamed): string {
  const head = applied
    ? `Renamed in ${edits} places`
    : `Would rename in ${edits} places; pass apply: true to do it`;
  const lines = files.flatMap(({ file, lines: changed }) => [file, ...changed.map((line) => `  ${line}`)]);
  return [head, ...lines].join('\n');
}
