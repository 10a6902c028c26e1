import { RootwardError, type Scope } from '@rootward/core';
import * as z from 'zod';
import { Pacer } from '@rootward/core/platform';
import { READS } from '../framework/annotations.js';
import { defineTool, type Tool } from '../framework/define-tool.js';
import { MAX_TEXT_BYTES } from '../../answer-size.js';
import { textResult } from '../framework/results.js';
import type { ToolContext } from '../framework/tool-context.js';

const SEPARATOR = '\n---\n';

export const readMultipleFiles: Tool = defineTool({
  name: 'read_multiple_files',
  toolset: 'files',
  title: 'Read Multiple Files',
  description:
    'Read several text files at once, up to 8 MB together. A file that cannot be read is reported in its place.',
  annotations: READS,
  input: () => z.object({ paths: z.array(z.string()).min(1) }),
  paths: ({ paths }) => paths,
  handle: async ({ paths }, context) => {
    const scope = await context.workspace.scope();
    const parts: string[] = [];
    const pace = new Pacer(context.signal);
    let left = MAX_TEXT_BYTES;
    // One after the other: small files are read without waiting anyway, and the limit counts them all.
    for (const path of paths) {
      const { part, size } = await readPart(scope, path, left, context);
      parts.push(part);
      left -= size;
      await pace.keep();
    }
    return textResult(parts.join(SEPARATOR));
  },
});

async function readPart(
  scope: Scope,
  path: string,
  maxBytes: number,
  context: ToolContext,
): Promise<{ readonly part: string; readonly size: number }> {
  const { signal } = context;
  try {
    const reading = await scope.readText(context.expandHome(path), { maxBytes, signal });
    const { text, size } = reading;
    context.seen?.note(reading.version);
    context.audit(path, 'allowed');
    return { part: `${path}:\n${text}\n`, size };
  } catch (error) {
    if (!(error instanceof RootwardError)) throw error;
    context.audit(path, 'refused', error.code);
    return { part: `${path}: Error - ${error.message}`, size: 0 };
  }
}
