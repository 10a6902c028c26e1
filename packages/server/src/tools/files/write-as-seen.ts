import { RootwardError, type Scope } from '@rootward/core';
import { unifiedDiff } from '../../edit/unified-diff.js';
import { canonicalPath } from '../framework/change-queue.js';
import type { ToolContext } from '../framework/tool-context.js';

/** A longer difference is not read by a model, and is cut. */
const MAX_DIFF_LENGTH = 4000;
const MAX_COMPARED_BYTES = 1024 * 1024;

interface Writing {
  readonly scope: Scope;
  readonly path: string;
  /** The path as the caller wrote it. */
  readonly asked: string;
  readonly content: string;
}

/**
 * Writes a file. Refuses to replace what the session has not seen: a file that changed since it last read or wrote it.
 * A file that it never saw is replaced.
 */
export async function writeAsSeen(writing: Writing, context: ToolContext): Promise<void> {
  const { scope, path, content } = writing;
  const { seen, signal } = context;
  const canonical = canonicalPath(scope, path);
  const expected = canonical === undefined ? undefined : seen?.versionOf(canonical);
  try {
    await scope.write(path, content, { expected, signal });
  } catch (error) {
    const isOther = error instanceof RootwardError && error.code === 'changed-meanwhile';
    if (expected === undefined || !isOther) throw error;
    const current = await currentText(writing, context);
    // Nothing is lost: somebody removed it.
    if (current === 'gone') await scope.write(path, content, { mode: 'new', signal });
    else throw await refusal(writing, current, context);
  }
}

interface Current {
  readonly text: string;
  readonly version: string;
}

/** What is there now; undefined for what is no text, or too much to compare. */
async function currentText(
  { scope, path }: Writing,
  { signal }: ToolContext,
): Promise<Current | 'gone' | undefined> {
  try {
    const { text, bom, version } = await scope.readText(path, { maxBytes: MAX_COMPARED_BYTES, signal });
    return { text: bom ? `\uFEFF${text}` : text, version };
  } catch (error) {
    if (!(error instanceof RootwardError)) throw error;
    return error.code === 'not-found' ? 'gone' : undefined;
  }
}

/** A difference that is shown whole counts as seen, so that the same call again replaces the file. */
async function refusal(
  { asked, content }: Writing,
  current: Current | undefined,
  { seen }: ToolContext,
): Promise<RootwardError> {
  const diff = current === undefined ? undefined : await unifiedDiff(asked, current.text, content);
  const isWhole = diff !== undefined && diff.length <= MAX_DIFF_LENGTH;
  if (isWhole && current !== undefined) seen?.note(current.version);
  const state = `Cannot write ${JSON.stringify(asked)}: something else changed it since this session last saw it`;
  const shown = diff === undefined ? [] : [LEGEND, isWhole ? diff.trimEnd() : cut(diff)];
  return new RootwardError('changed-meanwhile', [state, ...shown].join('\n'), {
    path: asked,
    instruction: isWhole
      ? 'Call write_file again with the lines that must stay in its content, or the same way to replace them'
      : 'Call read_text_file with this path, then write_file again; overwrite: true replaces the file unseen',
  });
}

const LEGEND = 'Lines with - are in the file now and would be lost, lines with + are yours:';

function cut(diff: string): string {
  const kept = diff.slice(0, MAX_DIFF_LENGTH);
  const fence = /^`+/.exec(diff)?.[0] ?? '';
  return `${kept.slice(0, kept.lastIndexOf('\n'))}\n${fence}\n[the rest of the difference is left out]`;
}
