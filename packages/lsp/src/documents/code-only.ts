/** How a language writes what is not code. */
interface Syntax {
  readonly line: readonly string[];
  readonly block?: readonly [start: string, end: string];
  readonly quotes: readonly string[];
  /** Quotes of texts that go on over lines. */
  readonly long?: readonly string[];
}

const C_LIKE: Syntax = { line: ['//'], block: ['/*', '*/'], quotes: ['"', "'"] };
const HASH: Syntax = { line: ['#'], quotes: ["'"] };

/**
 * Backticks of JavaScript and double quotes of shells hold code, and a single quote of Rust may begin a lifetime: those
 * count as code.
 */
const SYNTAXES: Readonly<Record<string, Syntax>> = {
  typescript: C_LIKE,
  typescriptreact: C_LIKE,
  javascript: C_LIKE,
  javascriptreact: C_LIKE,
  c: C_LIKE,
  cpp: C_LIKE,
  'objective-c': C_LIKE,
  'objective-cpp': C_LIKE,
  java: C_LIKE,
  csharp: C_LIKE,
  go: { ...C_LIKE, long: ['`'] },
  rust: { ...C_LIKE, quotes: ['"'] },
  php: { ...C_LIKE, line: ['//', '#'], quotes: ["'"] },
  css: { line: [], block: ['/*', '*/'], quotes: ['"', "'"] },
  scss: C_LIKE,
  less: C_LIKE,
  python: { line: ['#'], quotes: ['"', "'"], long: ['"""', "'''"] },
  shellscript: HASH,
  ruby: HASH,
  yaml: HASH,
  lua: { line: ['--'], quotes: ['"', "'"] },
};
/** What may stand right before a quote. Python puts values into strings that begin with an f. */
const PREFIX = /(?:^|[^\p{L}\p{N}_])([fFrRbBuU]{1,2}|L|u8)$/u;

/** Source text with blanks in place of comments and strings; every position is kept. Pure. Unknown languages stay as they are. */
export function codeOnly(text: string, languageId: string): string {
  const syntax = SYNTAXES[languageId];
  if (syntax === undefined) return text;
  const { line, block, quotes, long = [] } = syntax;
  const marks = [...long, ...line, ...(block === undefined ? [] : [block[0]]), ...quotes];
  let result = '';
  let position = 0;
  for (const found of text.matchAll(new RegExp(marks.map(escape).join('|'), 'g'))) {
    const { index, 0: mark } = found;
    if (index < position || !begins(text, index, mark)) continue;
    const end = endOf(text, index, mark, syntax);
    const skipped = text.slice(index, end);
    const isCode = quotes.includes(mark[0] ?? '') && /f/i.test(prefixOf(text, index));
    result += text.slice(position, index) + (isCode ? skipped : skipped.replace(/[^\r\n]/g, ' '));
    position = end;
  }
  return result + text.slice(position);
}

/** A quote in a word or a number, as in `don't` and `1'000`, begins nothing, nor does the `#` of `$#` or `${#x}`. */
function begins(text: string, index: number, mark: string): boolean {
  const before = text.slice(Math.max(0, index - 1), index);
  if (mark === '#') return !/[$\p{L}\p{N}{]/u.test(before);
  if (before === '\\') return false;
  return !mark.startsWith("'") || !/[\p{L}\p{N}]/u.test(before) || prefixOf(text, index) !== '';
}

function prefixOf(text: string, index: number): string {
  return PREFIX.exec(text.slice(Math.max(0, index - 3), index))?.[1] ?? '';
}

function endOf(text: string, start: number, mark: string, { line, block, long = [] }: Syntax): number {
  const after = start + mark.length;
  if (block !== undefined && mark === block[0]) return behind(text, block[1], after);
  const lineEnd = behind(text, '\n', after, 0);
  if (line.includes(mark)) return lineEnd;
  if (long.includes(mark)) return behind(text, mark, after);
  for (let at = after; at < lineEnd; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(mark, at)) return at + mark.length;
  }
  return lineEnd;
}

function behind(text: string, mark: string, from: number, length: number = mark.length): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + length;
}

function escape(mark: string): string {
  return mark.replace(/[$()*+./?[\\\]^{|}-]/g, String.raw`\$&`);
}
