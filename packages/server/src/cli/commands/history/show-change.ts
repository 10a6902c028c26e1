import type { Scope } from '@rootward/core';
import type { Change, History } from '@rootward/core/history';
import { changedTexts } from '../../../history/change-contents.js';
import type { ListedChange } from '../../../history/listed-change.js';
import { fileDiff } from '../../../edit/unified-diff.js';
import type { Display } from '../../output/display.js';
import { harmless, painter, type Paint } from '../../output/paint.js';
import { describeFile } from './show-changes.js';

export interface ShownChange {
  readonly text: string;
  readonly diffs: readonly { readonly path: string; readonly diff?: string; readonly note?: string }[];
}

/** One change for people: what it was, and the difference it made, in colours. */
export async function showChange(
  history: History,
  scope: Scope,
  change: Change,
  listed: ListedChange,
  display: Display,
): Promise<ShownChange> {
  const paint = painter(display);
  const lines = [
    `${paint('name', listed.id)}  ${listed.time}  ${listed.tool}`,
    ...(listed.client === undefined ? [] : [`client ${harmless(listed.client)}`]),
    ...(listed.session === undefined ? [] : [`session ${listed.session}`]),
    ...(listed.undoneBy === undefined ? [] : [`undone by ${listed.undoneBy}`]),
    ...(listed.cutOff === true ? ['cut off: the process ended in the middle of it'] : []),
    ...(listed.notes ?? []).map(harmless),
    ...listed.files.map((file) => harmless(describeFile(file, scope))),
  ];
  const diffs: { path: string; diff?: string; note?: string }[] = [];
  for await (const { path, before, after, note } of changedTexts(history, scope, change)) {
    const diff =
      before === undefined || after === undefined ? undefined : await fileDiff(path, before, after);
    if (diff === undefined) diffs.push({ path, note: note ?? 'too large to compare' });
    else diffs.push({ path, diff });
  }
  const shown = diffs.map(({ path, diff, note }) =>
    diff === undefined ? `${harmless(path)}: ${note ?? ''}` : colour(harmless(diff), paint),
  );
  return { text: `${[lines.join('\n'), ...shown].join('\n\n')}\n`, diffs };
}

function colour(diff: string, paint: Paint): string {
  return diff
    .trimEnd()
    .split('\n')
    .map((line) => {
      if (/^(?:---|\+\+\+|===)/.test(line)) return paint('title', line);
      if (line.startsWith('+')) return paint('good', line);
      if (line.startsWith('-')) return paint('bad', line);
      return line.startsWith('@@') ? paint('name', line) : line;
    })
    .join('\n');
}
