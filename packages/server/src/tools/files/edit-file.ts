import { normalize, posix, sep } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { TextReading, UpdateResult } from '@rootward/core';
import { Pacer } from '@rootward/core/platform';
import { CHANGES } from '../framework/annotations.js';
import { changeKey } from '../framework/change-queue.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { fitsAnswer } from '../../answer-size.js';
import { textResult } from '../framework/results.js';
import { applyEdits, type Edit } from '../../edit/apply-edits.js';
import { unifiedDiff } from '../../edit/unified-diff.js';
import { withProblems } from '../code/with-problems.js';

const BYTE_ORDER_MARK = '\uFEFF';

export const editFile: Tool = defineTool({
  name: 'edit_file',
  toolset: 'files',
  title: 'Edit File',
  description:
    'Replace parts of a text file. Each oldText must match in exactly one place, unless replaceAll; edits apply in order, all or none. Keeps line endings and mode. Returns a unified diff; dryRun only shows it. diagnostics adds new problems.',
  annotations: CHANGES,
  input: () =>
    z.object({
      path: z.string(),
      edits: z.array(
        z.object({ oldText: z.string(), newText: z.string(), replaceAll: z.boolean().optional() }),
      ),
      dryRun: z.boolean().default(false),
      diagnostics: z.boolean().optional(),
    }),
  paths: ({ path }) => [path],
  handle: async ({ path: asked, edits, dryRun, diagnostics }, context) => {
    const path = context.expandHome(asked);
    const { signal } = context;
    const scope = await context.workspace.scope();
    const change = async (): Promise<CallToolResult> => {
      const apply = (text: string): Promise<string> => applyInTurns(asked, text, edits, signal);
      const { before, after, bom } = dryRun
        ? await preview(await scope.readText(path, { signal }), apply)
        : await scope.update(path, ({ text }) => apply(text), { signal });
      const mark = bom ? BYTE_ORDER_MARK : '';
      const diff = await unifiedDiff(nameInDiff(asked, scope.locate(path).path), mark + before, mark + after);
      const shown = diff !== undefined && fitsAnswer(diff) ? diff : undefined;
      const done = dryRun ? 'Nothing was changed' : `Edited ${asked}`;
      return textResult(shown ?? `${done}; the change is too large to show as a diff`);
    };
    return context.changes.run([changeKey(scope, path)], () =>
      withProblems(context, [path], dryRun ? false : diagnostics, change),
    );
  },
});

async function preview(
  { text: before, bom }: TextReading,
  apply: (text: string) => Promise<string>,
): Promise<Pick<UpdateResult, 'before' | 'after' | 'bom'>> {
  return { before, after: await apply(before), bom };
}

/** As it was asked for, where that is a name a patch can go by; a link, a URI and `~` are none, nor does git take `./`. */
function nameInDiff(asked: string, path: string): string {
  return path.endsWith(sep + normalize(asked)) ? posix.normalize(asked) : path;
}

async function applyInTurns(
  path: string,
  text: string,
  edits: readonly Edit[],
  signal: AbortSignal,
): Promise<string> {
  const pace = new Pacer(signal);
  const work = applyEdits(path, text, edits);
  let step = work.next();
  for (; step.done !== true; step = work.next()) await pace.keep();
  return step.value;
}
