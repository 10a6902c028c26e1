import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hostPathStyle, readFileUri } from '@rootward/core';
import type { PathStyle, Scope } from '@rootward/core';

const CONCEALED = '(outside the roots)';

/** File URIs, and places where a path may begin: not inside a word or a web address. */
const BEGINNINGS: Readonly<Record<PathStyle, RegExp>> = {
  posix: /file:\/\/[^\s)>\]"'`]+|(?<![\p{L}\p{N}_.~/\\-])(?:\/(?=[^\s/*])|\.\.?\/)/giu,
  windows: /file:\/\/[^\s)>\]"'`]+|(?<![\p{L}\p{N}_.~/\\-])(?:[a-z]:[\\/]|\\\\(?=\w)|\.\.?[\\/])/giu,
};
const QUOTES = new Set(['"', "'", '`']);
/** Where a path in a sentence may end. */
const BOUNDARY = /[\s"'`()[\]<>{}|,;]|$/g;
/** Punctuation and line numbers that follow a path in a sentence. */
const TRAILING = /(?::\d+(?:[:-]\d+)*)?[.:!?*]*$/;
/** A path in a sentence may hold blanks; more ends than this are not tried. */
const MAX_ENDS = 32;
/** The longest path Linux takes. */
const MAX_MENTION_CHARS = 4_096;

export interface ConcealOptions {
  /** The file the text is about: relative paths start beside it. Without it they are left alone. */
  readonly file?: string;
  /** Texts in scope: what they say themselves is told nobody by repeating it. */
  readonly sources?: readonly string[];
}

/**
 * A text of a server without the mentions in it of places that are out of scope, in quotes or not. Does NOT find paths
 * in folders that this machine does not have.
 */
export function concealPaths(scope: Scope, text: string, options: ConcealOptions = {}): string {
  const { file, sources = [] } = options;
  const folder = file === undefined ? undefined : dirname(file);
  const beginning = new RegExp(BEGINNINGS[hostPathStyle]);
  let result = '';
  let position = 0;
  for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
    const mention = isUri(found[0]) ? found[0] : mentionAt(text, found.index, folder);
    const path = toPath(mention, folder);
    const inScope = path !== undefined && (scope.contains(path) || !mayExist(path));
    const end = found.index + mention.length;
    const shown = inScope || sources.some((source) => source.includes(mention));
    result += text.slice(position, found.index) + (shown ? mention : CONCEALED);
    position = end;
    beginning.lastIndex = end;
  }
  return result + text.slice(position);
}

function isUri(mention: string): boolean {
  return /^file:/i.test(mention);
}

/** Undefined for a URI nobody can read. */
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
  const [line = ''] = text.slice(start, start + MAX_MENTION_CHARS).split(/[\r\n]/, 1);
  const before = text.slice(start - 1, start);
  const quoted = QUOTES.has(before) ? line.slice(0, Math.max(0, line.indexOf(before))) : '';
  // Modules are named without their ending.
  if (quoted !== '' && onDisk(dirname(quoted))) return quoted;
  const ends = [...line.matchAll(BOUNDARY)].map(({ index }) => index).slice(0, MAX_ENDS);
  const candidates = ends.map((end) => line.slice(0, end).replace(TRAILING, ''));
  return candidates.findLast(onDisk) ?? candidates[0] ?? line;
}

/**
 * A path of this machine starts with one of its topmost folders; `/users/:id` of a web service does not. Where a relative
 * path leads, nobody knows.
 */
function mayExist(path: string): boolean {
  if (path.startsWith('.')) return false;
  if (hostPathStyle === 'windows') return true;
  return existsSync(`/${path.split('/')[1] ?? ''}`);
}
