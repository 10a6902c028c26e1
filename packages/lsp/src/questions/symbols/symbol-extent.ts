import type { Range } from 'vscode-languageserver-protocol';

/** The lines of a declaration, counted from 0, both ends included. */
export interface Extent {
  /** Where the decorators and comments begin that belong to it. */
  readonly lead: number;
  readonly start: number;
  readonly end: number;
  /** Nothing else stands on its lines. */
  readonly isAlone: boolean;
  /** Where it ends on its last line: a comma or semicolon may follow that is not part of it. */
  readonly endCharacter: number;
  /** That comma or semicolon, or a comma that is part of it. */
  readonly separator: string;
  /** It stands in a list with commas, as members of an object do. */
  readonly isListed: boolean;
}

/** Words that may stand before what a server takes for the start of a declaration. */
const BEFORE =
  /^\s*(?:(?:export|default|declare|const|let|var|async|static|public|private|protected|readonly|abstract|override|type|final|pub|unsafe|extern|inline|function|func|def|class|struct|enum|interface|namespace|val|mut)\s+)*$/;
const AFTER = /^\s*[;,]?\s*(?:\/\/.*|#.*|\/\*.*\*\/)?\s*$/;
/** A line in code that ends with a comma. */
const LIST_ITEM = /^(?!\s*(?:\/\/|\*|\/\*|#|--)).*,\s*(?:\/\/.*)?$/;
const QUOTED_KEY = /^\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*:/;
const DECORATOR = /^\s*(?:@|#\[)/;
const LINE_COMMENT =
  /^\s*(?:\/\/|#(?!\[|!|\s*(?:include|define|if|ifdef|ifndef|endif|else|elif|pragma|undef)\b)|--)/;
const BLOCK_END = /\*\/\s*$/;
const BLOCK_START = /^\s*\/\*/;
/** Lines that a decorator with arguments or a comment may take. */
const MAX_LEAD_LINES = 400;

/** All lines of a declaration, with its decorators, attributes and the comment right above it. Pure. */
export function extentOf(lines: readonly string[], { start, end }: Range): Extent {
  // A range that ends at the start of a line ends with the line before.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  const before = (lines[start.line] ?? '').slice(0, start.character);
  const after = last === end.line ? (lines[last] ?? '').slice(end.character) : '';
  const isAlone = BEFORE.test(before) && AFTER.test(after);
  let lead = start.line;
  for (let above = isAlone ? startAbove(lines, lead - 1) : undefined; above !== undefined;) {
    lead = above;
    above = startAbove(lines, lead - 1);
  }
  const endCharacter = last === end.line ? end.character : (lines[last] ?? '').length;
  const hasComma = (lines[last] ?? '').slice(0, endCharacter).trimEnd().endsWith(',');
  const separator = hasComma ? ',' : (/^\s*([;,])/.exec(after)?.[1] ?? '');
  const above = lines.slice(0, lead).findLast((line) => line.trim() !== '') ?? '';
  return {
    lead,
    start: start.line,
    end: last,
    isAlone,
    endCharacter,
    separator,
    isListed: separator === ',' || LIST_ITEM.test(above) || QUOTED_KEY.test(lines[start.line] ?? ''),
  };
}

/** The first line of a decorator or comment that ends on a line; undefined where none does. */
function startAbove(lines: readonly string[], line: number): number | undefined {
  const text = lines[line];
  if (text === undefined) return undefined;
  if (DECORATOR.test(text) || LINE_COMMENT.test(text)) return line;
  if (BLOCK_END.test(text)) return search(lines, line, (each) => BLOCK_START.test(each));
  // The last line of a decorator whose arguments take several lines.
  if (!/^\s*[)\]}]+\s*$/.test(text)) return undefined;
  const indent = indentOf(text).length;
  const found = search(lines, line, (each) => indentOf(each).length === indent && !/^\s*[)\]}]/.test(each));
  return found !== undefined && DECORATOR.test(lines[found] ?? '') ? found : undefined;
}

function search(
  lines: readonly string[],
  from: number,
  isStart: (line: string) => boolean,
): number | undefined {
  for (let line = from; line >= Math.max(0, from - MAX_LEAD_LINES); line -= 1) {
    const text = lines[line] ?? '';
    if (text.trim() === '' && !BLOCK_END.test(lines[from] ?? '')) return undefined;
    if (isStart(text)) return line;
  }
  return undefined;
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}
