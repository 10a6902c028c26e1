import type { TextEdit } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../error.js';
import type { Place } from '../documents/find-word.js';

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text with edits made to it, all of which are in terms of the text before. Pure. Overlapping edits are refused. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  const offsets = lineOffsets(text);
  const changes = edits
    .map(({ range, newText }): Change => {
      return {
        start: offsetOf(range.start, offsets, text),
        end: offsetOf(range.end, offsets, text),
        text: newText,
      };
    })
    .toSorted((a, b) => a.start - b.start || a.end - b.end);
  let result = '';
  let position = 0;
  for (const change of changes) {
    if (change.start < position || change.end < change.start) {
      throw new RootwardLspError('edit-refused', 'Cannot edit: the server sent edits that overlap');
    }
    result += text.slice(position, change.start) + change.text;
    position = change.end;
  }
  return result + text.slice(position);
}

function lineOffsets(text: string): readonly number[] {
  const offsets = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) offsets.push(match.index + match[0].length);
  return offsets;
}

function offsetOf({ line, character }: Place, offsets: readonly number[], text: string): number {
  const start = offsets[line];
  if (start === undefined) return text.length;
  return Math.min(start + character, offsets[line + 1] ?? text.length);
}
