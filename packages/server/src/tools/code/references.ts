import type { Reference } from '@rootward/lsp';
import * as z from 'zod';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { continuation, cursorArgument, Cursors, nextCursorField } from '../framework/paging.js';
import { dataResult } from '../framework/results.js';
import { answerCode, caveats, caveatsOf } from './answer-code.js';
import { emptyAnswer, shortPath } from './describe-code.js';
import { symbolArguments } from './symbol-argument.js';

export const references: Tool = defineTool({
  name: 'references',
  toolset: 'code',
  title: 'References',
  description: 'Where a symbol is used, in all roots, by file and by the symbol around each use.',
  annotations: READS,
  input: () => z.strictObject({ ...symbolArguments(), cursor: cursorArgument() }),
  output: () =>
    z.object({
      files: z.array(z.object({ file: z.string(), lines: z.array(z.string()) })),
      total: z.number(),
      complete: z.boolean(),
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
        file: shortPath(code.scope, file),
        lines: byContainer(uses),
      }));
      const lines = files.flatMap((place) => [place.file, ...place.lines.map((line) => ` ${line}`)]);
      const { outside: _outside, ...rest } = found;
      const data = { files, ...rest, notes: caveatsOf({ outside: found.outside, notes: found.notes }) };
      if (found.total === 0) return dataResult(data, emptyAnswer('No references found', caveatsOf(found)));
      return dataResult(data, lines.join('\n') + caveats(found) + continuation(found.nextCursor));
    }),
});

/** Uses under the name of the symbol that they stand in; those at the top of a file come without one. */
function byContainer(uses: readonly Reference[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const [line, { within = '', text, count }] of byLine(uses)) {
    const known = groups.get(within) ?? (within === '' ? [] : [within]);
    const times = count === 1 ? '' : ` (${count} times)`;
    known.push(`${within === '' ? '' : ' '}${line}: ${text}${times}`);
    groups.set(within, known);
  }
  return [...groups.values()].flat();
}

/** Each line once, with the innermost symbol around its uses. */
function byLine(
  uses: readonly Reference[],
): ReadonlyMap<number, Pick<Reference, 'within' | 'text'> & { readonly count: number }> {
  const lines = new Map<number, Pick<Reference, 'within' | 'text'> & { readonly count: number }>();
  for (const { line, text, within } of uses) {
    const known = lines.get(line);
    const inner = [known?.within, within].toSorted((a = '', b = '') => b.length - a.length)[0];
    lines.set(line, { text, count: (known?.count ?? 0) + 1, ...(inner !== undefined && { within: inner }) });
  }
  return lines;
}
