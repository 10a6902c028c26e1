import { RootwardError, type BytesReading, type Root, type Scope } from '@rootward/core';
import { findWord } from './find-word.js';
import { sourceFiles, type SourceFile } from './source-files.js';
import { unshownBecause, type Unshown } from './unshown.js';
import { wordOf, type WordsOfFiles } from './words-of-files.js';

/** Files looked into for one question; the answer says when there were more. */
const MAX_LOOKED_AT = 20_000;
/** A source file above this is generated or data, and named instead of shown. */
const MAX_BYTES: number = 1024 * 1024;
/** A file that cannot be shown is searched up to this size; a longer one may contain any word. */
const MAX_SEARCHED_BYTES: number = 16 * MAX_BYTES;

export interface MentionsOptions {
  readonly roots: readonly Root[];
  readonly wanted: (path: string) => boolean | Promise<boolean>;
  /** One word, or several of which any counts. */
  readonly word: string | readonly string[];
  /** Only where the word stands by itself, in this letter case. */
  readonly whole?: boolean;
  /** Words of files that were read before, for whole words: those files are not read again until they change. */
  readonly known?: WordsOfFiles | undefined;
  /** The most files to return. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Mentions {
  readonly files: readonly string[];
  /** There are more files than were looked at or returned. */
  readonly cut: boolean;
  /** Files that have the word, or may have it, and cannot be shown. */
  readonly unshown: readonly Unshown[];
}

/**
 * Files that contain a word, in any letter case unless it must be whole. A server that serves only what is opened does
 * not know the others, so these are what it has to be shown.
 */
export async function filesMentioning(scope: Scope, options: MentionsOptions): Promise<Mentions> {
  const { whole = false } = options;
  const given = typeof options.word === 'string' ? [options.word] : options.word;
  const words = whole ? given : given.map((word) => word.toLowerCase());
  const overlap = 4 * Math.max(0, ...words.map((word) => word.length));
  const has = (text: string): boolean => {
    const searched = whole ? text : text.toLowerCase();
    return words.some((word) => searched.includes(word) && (!whole || findWord(text, word).length > 0));
  };
  const parts = words.map(wordOf);
  // A word of signs alone is not kept.
  const known = whole && parts.every((part) => part.length > 0) ? options.known : undefined;
  const files: string[] = [];
  const unshown: Unshown[] = [];
  let looked = 0;
  for await (const file of sourceFiles(scope, { ...options, stamps: known !== undefined })) {
    if (looked >= MAX_LOOKED_AT || files.length >= options.limit) return { files, cut: true, unshown };
    looked += 1;
    if (known?.lacks(file, parts) === true) continue;
    const found = await mentions(scope, file, { has, overlap, known, signal: options.signal });
    if (found === true) files.push(file.path);
    else if (found !== false) unshown.push(found);
  }
  return { files, cut: false, unshown };
}

interface Looking {
  readonly has: (text: string) => boolean;
  /** The most bytes that a word takes. */
  readonly overlap: number;
  readonly known: WordsOfFiles | undefined;
  readonly signal: AbortSignal | undefined;
}

async function mentions(scope: Scope, file: SourceFile, looking: Looking): Promise<boolean | Unshown> {
  const { has, known, signal } = looking;
  const { path } = file;
  try {
    const { text, stamp } = await scope.readText(path, {
      maxBytes: MAX_BYTES,
      ...(signal !== undefined && { signal }),
    });
    known?.keep(file, text, stamp);
    return has(text);
  } catch (error) {
    signal?.throwIfAborted();
    const code = error instanceof RootwardError ? error.code : undefined;
    const isOdd = code === 'too-large' || code === 'not-text';
    if (isOdd && !(await mayMention(scope, path, looking))) return false;
    return unshownBecause(path, error) ?? false;
  }
}

/** Looks through a file that cannot be shown, piece by piece. */
async function mayMention(scope: Scope, path: string, { has, overlap, signal }: Looking): Promise<boolean> {
  let encoding: string | undefined;
  for (let offset = 0; offset < MAX_SEARCHED_BYTES; offset += MAX_BYTES) {
    let piece: BytesReading;
    try {
      const options = { offset, length: MAX_BYTES + overlap, ...(signal !== undefined && { signal }) };
      piece = await scope.readBytes(path, options);
    } catch {
      signal?.throwIfAborted();
      return true;
    }
    encoding ??= encodingOf(piece.bytes);
    if (encoding === undefined) return false;
    if (has(new TextDecoder(encoding).decode(piece.bytes))) return true;
    if (offset + MAX_BYTES >= piece.size) return false;
  }
  return true;
}

/** Undefined for files that are not source code: without the mark of a wide encoding, no text has a NUL. */
function encodingOf(start: Uint8Array): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be';
  return start.includes(0) ? undefined : 'utf-8';
}
