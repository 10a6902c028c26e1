import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hostPathStyle, readFileUri, type Scope } from '@rootward/core';

const CONCEALED = '(outside the roots)';

/** Not inside a word or a web address. */
const APART = String.raw`(?<![\p{L}\p{N}_.~/\\-])`;
/** Right behind an option, as in `-I/usr/include`. Its length is bounded, since every slash looks back. */
const OPTION = String.raw`(?<=${APART}--?\p{L}[\p{L}\p{N}_-]{0,30})`;
/** Right behind a change of colour, which ends with a letter. */
const COLOUR = String.raw`(?<=\p{Cc}\[[\d;]{0,16}\p{L})`;
const PATH = {
  posix: String.raw`(?:\/|(?<!:)\/{2,})(?=[^\s/*])|\.\.?\/`,
  windows: String.raw`[a-z]:[\\/]|\\\\(?=\w)|\.\.?[\\/]`,
}[hostPathStyle];
/** What stands between two paths of a list. */
const BETWEEN = {
  posix: String.raw`[,;:=&@!?#](?=\/|file:)`,
  windows: String.raw`[,;=&@!?#](?=[a-z]:[\\/]|\\\\|file:)`,
}[hostPathStyle];
const URI = String.raw`file:\/\/(?:(?!${BETWEEN})[^\s()>\]"'\x60]|\([^\s()>\]"'\x60]*\))+`;
/** File URIs, and places where a path may begin. */
const BEGINNING: RegExp = new RegExp(`${URI}|(?:${APART}|${COLOUR}|(?<option>${OPTION}))(?:${PATH})`, 'giu');
const QUOTES = new Set(['"', "'", '`']);
/** Where a path in a sentence may end. */
const BOUNDARY: RegExp = new RegExp(String.raw`[\s\p{Cc}"'\x60()[\]<>{}|,;]|${BETWEEN}|$`, 'giu');
const LINE_END = /[\r\n]/;
/** Punctuation and line numbers that follow a path in a sentence. */
const TRAILING = /(?::\d+(?:[:-]\d+)*)?[.:!?*]*$/;
/** Longer than any of these. The search for them is bounded because its time grows with the square of the length. */
const MAX_TRAILING_CHARS = 48;
/** A path in a sentence may hold blanks; more ends than this are not tried. */
const MAX_ENDS = 32;
/** The longest path that Linux accepts. */
const MAX_MENTION_CHARS = 4_096;
/** Nobody reads longer texts. Each path in one costs disk accesses, while everything else waits. */
const MAX_TEXT_CHARS = 4_000;
/** A text with more mentions for its length is cut sooner: it is data. */
const MIN_CHARS_PER_MENTION = 20;

export interface ConcealOptions {
  /** The file the text is about: relative paths start beside it. Without it they are left alone. */
  readonly file?: string;
  /** Texts in scope: repeating their content reveals nothing. */
  readonly sources?: readonly string[];
  /** Where a long text is cut. */
  readonly maxChars?: number;
}

/** A longer name of a symbol is data. */
export const MAX_NAME_CHARS = 200;

/**
 * A text of a server without the mentions in it of places that are out of scope, in quotes or not; cut where it is long.
 * Does NOT find paths in folders that this machine does not have.
 */
export function concealPaths(scope: Scope, text: string, options: ConcealOptions = {}): string {
  const { file, sources = [], maxChars = MAX_TEXT_CHARS } = options;
  const folder = file === undefined ? undefined : dirname(file);
  const head = text.slice(0, maxChars + MAX_MENTION_CHARS);
  const search = new RegExp(BEGINNING);
  let result = '';
  let position = 0;
  let end = maxChars;
  let mentions = 0;
  for (let found = search.exec(head); found !== null; found = search.exec(head)) {
    mentions += 1;
    if (mentions > maxChars / MIN_CHARS_PER_MENTION) end = Math.min(end, found.index);
    if (found.index >= end) break;
    const mention = isUri(found[0]) ? found[0] : mentionAt(head, found.index, folder);
    const shown =
      isInScope(scope, mention, folder) ||
      (found.groups?.['option'] !== undefined && !isKnown(absolute(mention, folder))) ||
      sources.some((source) => source.includes(mention));
    result += head.slice(position, found.index) + (shown ? mention : CONCEALED);
    position = found.index + mention.length;
    search.lastIndex = position;
  }
  const rest = head.slice(position, Math.max(position, end));
  const cut = position + rest.length < text.length ? '…' : '';
  // Half a character, left by the cut or sent by the server, makes the whole answer unreadable to many clients.
  return (result + rest).toWellFormed() + cut;
}

function isInScope(scope: Scope, mention: string, folder: string | undefined): boolean {
  const path = toPath(mention, folder);
  return path !== undefined && (scope.contains(path) || !mayExist(path));
}

/**
 * Whether a path leads somewhere on this machine, beyond the topmost folders that all machines have. What stands behind
 * an option without a blank may as well be a division, or words with slashes between.
 */
function isKnown(path: string): boolean {
  const [first = '', second] = path.split(/[\\/]+/).filter(Boolean);
  const start = hostPathStyle === 'windows' ? first : `/${first}`;
  return second !== undefined && existsSync(join(start, second));
}

function isUri(mention: string): boolean {
  return /^file:/i.test(mention);
}

/** Undefined for a URI that cannot be parsed. */
function toPath(mention: string, folder: string | undefined): string | undefined {
  if (!isUri(mention)) return absolute(mention, folder);
  const reading = readFileUri(mention.replace(/[#?].*$/, ''), hostPathStyle);
  return reading.ok ? reading.path : undefined;
}

function absolute(mention: string, folder: string | undefined): string {
  return mention.startsWith('.') && folder !== undefined ? join(folder, mention) : mention;
}

/** The path that begins at this place. One with blanks is known by its quotes, or by the disk. */
function mentionAt(text: string, start: number, folder: string | undefined): string {
  const onDisk = (mention: string): boolean => existsSync(absolute(mention, folder));
  const [line = ''] = text.slice(start, start + MAX_MENTION_CHARS).split(LINE_END, 1);
  const before = text.slice(start - 1, start);
  const quoted = QUOTES.has(before) ? line.slice(0, Math.max(0, line.indexOf(before))) : '';
  // Modules are named without their ending.
  if (quoted !== '' && onDisk(dirname(quoted))) return quoted;
  const candidates = endsOf(line).map((end) => withoutTrailing(line.slice(0, end)));
  return candidates.findLast(onDisk) ?? candidates[0] ?? line;
}

function endsOf(line: string): readonly number[] {
  const ends: number[] = [];
  for (const { index } of line.matchAll(BOUNDARY)) {
    if (ends.push(index) >= MAX_ENDS) break;
  }
  return ends;
}

function withoutTrailing(mention: string): string {
  const start = Math.max(0, mention.length - MAX_TRAILING_CHARS);
  return mention.slice(0, start) + mention.slice(start).replace(TRAILING, '');
}

/**
 * A path of this machine starts with one of its topmost folders; `/users/:id` of a web service does not. Where a relative
 * path leads, nobody knows.
 */
function mayExist(path: string): boolean {
  if (path.startsWith('.')) return false;
  if (hostPathStyle === 'windows') return true;
  const topmost = path.split('/').find(Boolean);
  // `/` itself is no secret.
  return topmost !== undefined && existsSync(`/${topmost}`);
}
