import { relative } from 'node:path';
import type { Scope } from '@rootward/core';
import type { Change, History } from '@rootward/core/history';
import { changedTexts } from '../../../history/change-contents.js';
import type { ListedChange, ListedFile, VisibleChange } from '../../../history/listed-change.js';
import { alignRows, type Cell } from '../../output/align-rows.js';
import type { Display } from '../../output/display.js';
import { harmless, painter } from '../../output/paint.js';

const MAX_FILES = 3;
/** Counting lines of all changes of a list may not take longer than reading it. */
const COUNTING_MS = 300;
const MAX_COUNTED_LENGTH = 200_000;

/** A list for people: time, session, client, tool, lines added and removed, files. */
export async function showChanges(
  history: History,
  scope: Scope,
  changes: readonly VisibleChange[],
  { more, display }: { readonly more: boolean; readonly display: Display },
): Promise<string> {
  const paint = painter(display);
  const until = performance.now() + COUNTING_MS;
  const rows: Cell[][] = [];
  for (const { change, listed } of changes) {
    const counts = performance.now() < until ? await countLines(history, scope, change) : '';
    rows.push([
      { text: listed.id, tone: 'name' },
      { text: localTime(change.at), tone: 'quiet' },
      listed.tool,
      harmless(listed.client ?? '-'),
      { text: listed.session ?? '-', tone: 'quiet' },
      counts,
      `${harmless(describeFiles(listed.files, scope))}${marks(listed)}`,
    ]);
  }
  const note = more ? paint('quiet', 'There are more: --limit N, --since 2h, --path FILE\n') : '';
  return alignRows(rows, { paint, columns: display.columns }) + note;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function localTime(at: number): string {
  const time = new Date(at);
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

/** `+3 −1`; empty where that is not known. */
async function countLines(history: History, scope: Scope, change: Change): Promise<string> {
  const { diffLines } = await import('diff');
  let [added, removed] = [0, 0];
  for await (const { before, after } of changedTexts(history, scope, change)) {
    if (before === undefined || after === undefined) return '';
    if (before.length + after.length > MAX_COUNTED_LENGTH) return '';
    const parts = diffLines(before, after, { timeout: COUNTING_MS });
    if (parts === undefined) return '';
    for (const part of parts) {
      if (part.added) added += part.count;
      if (part.removed) removed += part.count;
    }
  }
  return added + removed === 0 ? '' : `+${added} −${removed}`;
}

function describeFiles(files: readonly ListedFile[], scope: Scope): string {
  const shown = files.slice(0, MAX_FILES).map((file) => describeFile(file, scope));
  const rest = files.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

export function describeFile({ action, path, from, files, lost }: ListedFile, scope: Scope): string {
  const what = from === undefined ? nameOf(path, scope) : `${nameOf(from, scope)} → ${nameOf(path, scope)}`;
  const count = files === undefined ? '' : ` (${files} files)`;
  return `${action} ${what}${count}${lost === true ? ' (not kept)' : ''}`;
}

/** From the first root where it lies in it. */
function nameOf(path: string, { roots }: Scope): string {
  const [first] = roots;
  const name = first === undefined ? path : relative(first.path, path);
  return name === '' || name.startsWith('..') ? path : name;
}

function marks({ undoneBy, cutOff, notes = [] }: ListedChange): string {
  const all = [
    ...(undoneBy === undefined ? [] : [`undone by ${undoneBy}`]),
    ...(cutOff === true ? ['cut off'] : []),
    ...notes.map(harmless),
  ];
  return all.map((mark) => ` [${mark}]`).join('');
}
