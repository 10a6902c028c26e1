import type { TextEdit } from 'vscode-languageserver-protocol';
import { RootwardLspError } from '../../error.js';
import type { Place } from '../../documents/find-word.js';

/** Where a line starts, and where it ends without its line end. */
interface Line {
  readonly start: number;
  readonly end: number;
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Text after edits that all refer to the text before. Pure. Overlapping edits are refused. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  const lines = linesOf(text);
  const changes = edits
    .map(({ range, newText }): Change => {
      return {
        start: offsetOf(range.start, lines, text),
        end: offsetOf(range.end, lines, text),
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

/** What edits replace, in their order. Pure. */
export function replacedTexts(text: string, edits: readonly TextEdit[]): readonly string[] {
  const lines = linesOf(text);
  return edits.map(({ range }) =>
    text.slice(offsetOf(range.start, lines, text), offsetOf(range.end, lines, text)),
  );
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ start, end: index });
    start = index + end.length;
  }
  return [...lines, { start, end: text.length }];
}

/** A character beyond its line means the end of that line, as the protocol says. */
function offsetOf({ line, character }: Place, lines: readonly Line[], text: string): number {
  const found = lines[line];
  return found === undefined ? text.length : Math.min(found.start + character, found.end);
}
