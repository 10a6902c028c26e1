import * as z from 'zod';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { RootwardError } from '@rootward/core';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { MAX_TEXT_BYTES } from '../../answer-size.js';
import { textResult } from '../framework/results.js';
import type { ToolContext } from '../framework/tool-context.js';

type Lines = z.ZodOptional<z.ZodInt>;

type ReadTextInput = z.ZodObject<{
  path: z.ZodString;
  tail: Lines;
  head: Lines;
  offset: Lines;
  limit: Lines;
}>;

/** Often the first schema that is made, while a call waits for it: one for all four, which differ in what they are for. */
export function readTextInput(): ReadTextInput {
  const lines: Lines = z.int().min(0).optional();
  return z.object({
    path: z.string(),
    tail: lines.describe('Only the last N lines'),
    head: lines.describe('Only the first N lines'),
    offset: lines.describe('Lines to skip'),
    limit: lines.describe('Lines to return after offset'),
  });
}

export async function readTextFileAs(
  args: z.output<ReadTextInput>,
  context: ToolContext,
): Promise<CallToolResult> {
  const { path, ...asked } = args;
  // The reference server takes 0 for "not given" here.
  const { head, tail } = { head: asked.head || undefined, tail: asked.tail || undefined };
  const [one, other] = rangesIn({ ...asked, head, tail });
  if (other !== undefined) {
    throw new RootwardError('invalid-option', `Cannot read lines: ${one} and ${other} are both given`, {
      path,
      instruction: 'Pass one of head, tail, or offset and limit',
    });
  }
  const scope = await context.workspace.scope();
  const reading = await scope.readText(context.expandHome(path), {
    ...(head !== undefined && { head }),
    ...(tail !== undefined && { tail }),
    ...(asked.offset !== undefined && { offset: asked.offset }),
    ...(asked.limit !== undefined && { limit: asked.limit }),
    maxBytes: MAX_TEXT_BYTES,
    signal: context.signal,
  });
  const { text, size, truncated } = reading;
  context.seen?.note(reading.version);
  const shown = head !== undefined && text.endsWith('\n') ? text.slice(0, -1) : text;
  if (truncated) return textResult(shown, cutNote(size, tail !== undefined));
  const isBeyond = shown === '' && size > 0 && asked.limit !== 0 && (asked.offset ?? 0) > 0;
  return textResult(shown, isBeyond ? `[the file has no more than ${asked.offset} lines]` : undefined);
}

/** The ways in which lines are asked for; offset and limit go together. */
function rangesIn({ head, tail, offset, limit }: Omit<z.output<ReadTextInput>, 'path'>): readonly string[] {
  const range = offset === undefined ? limit !== undefined && 'limit' : 'offset';
  return [head !== undefined && 'head', tail !== undefined && 'tail', range].filter((way) => way !== false);
}

function cutNote(size: number, fromEnd: boolean): string {
  const part = fromEnd ? 'beginning' : 'end';
  return `[the ${part} of this range is left out: the file has ${size} bytes; ask for fewer lines]`;
}

export const readTextFile: Tool = defineTool({
  name: 'read_text_file',
  toolset: 'files',
  title: 'Read Text File',
  description:
    'Read a text file, whole or by lines: head, tail, or offset and limit. UTF-8 only; whole files up to 8 MB, ranges of any file.',
  annotations: READS,
  input: readTextInput,
  paths: ({ path }) => [path],
  handle: readTextFileAs,
});
