/** What a document says of itself at its top. */
export interface FrontMatter {
  readonly title?: string;
  readonly description?: string;
  readonly audience?: readonly string[];
}

/** Front matter longer than this is a document of its own. */
export const FRONT_MATTER_BYTES = 8192;
const MAX_VALUE_LENGTH = 300;
/** The time to match a line grows with its square. */
const MAX_LINE_LENGTH = 1000;
const MAX_AUDIENCES = 10;
const FENCE = /^---[ \t]*$/;
const END = /^(?:---|\.\.\.)[ \t]*$/;

/**
 * Reads `title`, `description` and `audience` of a document's front matter; without a title there, its first heading
 * counts. Understands the YAML that people write for this: plain, quoted and folded values, and lists in both forms.
 * Whatever else is in there is passed over.
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.split(/\r?\n/).map((line) => line.slice(0, MAX_LINE_LENGTH));
  const end = FENCE.test(lines[0] ?? '') ? lines.findIndex((line, index) => index > 0 && END.test(line)) : -1;
  const values = end < 0 ? new Map<string, readonly string[]>() : readEntries(lines.slice(1, end));
  const title = clean(values.get('title')?.join(' ')) ?? clean(firstHeading(lines.slice(end + 1)));
  const description = clean(values.get('description')?.join(' '));
  const audience = (values.get('audience') ?? [])
    .flatMap((value) => clean(value) ?? [])
    .slice(0, MAX_AUDIENCES);
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(audience.length > 0 && { audience }),
  };
}

/** The values of each key at the outermost level; a list has several. */
function readEntries(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const entries = new Map<string, string[]>();
  let values: string[] | undefined;
  let folded = false;
  for (const line of lines) {
    const entry = /^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$/s.exec(line);
    if (entry !== null) {
      const [, key = '', value = ''] = entry;
      folded = /^[|>][+-]?\d?[ \t]*$/.test(value);
      values = folded ? [] : readValue(value);
      entries.set(key.toLowerCase(), values);
      continue;
    }
    const inner = line.trim();
    if (values === undefined || inner === '' || inner.startsWith('#')) continue;
    const item = /^-[ \t]+(.*)$/s.exec(inner)?.[1];
    if (item !== undefined && !folded) values.push(unquote(item));
    else if (/^[ \t]/.test(line)) values.push([values.pop() ?? '', inner].join(' '));
  }
  return entries;
}

/** `[a, b]` is a list; everything else is one value, and nothing is none. */
function readValue(text: string): string[] {
  const list = /^\[(.*)\][ \t]*(?:#.*)?$/s.exec(text.trim())?.[1];
  if (list !== undefined) return list.split(',').map(unquote).filter(Boolean);
  const value = unquote(text);
  return value === '' ? [] : [value];
}

function unquote(text: string): string {
  const trimmed = text.trim();
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/s.exec(trimmed);
  if (quoted?.[1] !== undefined) return quoted[1].replaceAll(/\\(.)/gs, '$1');
  if (quoted?.[2] !== undefined) return quoted[2].replaceAll("''", "'");
  return trimmed.replace(/(?:^|[ \t]+)#.*$/s, '').trim();
}

function firstHeading(lines: readonly string[]): string | undefined {
  return lines
    .map((line) => /^#[ \t]+(.+?)[ \t]*#*$/s.exec(line)?.[1])
    .find((heading) => heading !== undefined);
}

/** One line without control characters: a document must not forge lines of a listing. */
function clean(text: string | undefined): string | undefined {
  const line = (text ?? '').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  if (line === '') return undefined;
  return line.length <= MAX_VALUE_LENGTH ? line : `${line.slice(0, MAX_VALUE_LENGTH - 1)}…`;
}
