import type { Root, Scope } from '@rootward/core';
import { sourceFiles } from './source-files.js';

/** Files looked into for one question; the answer says when there were more. */
const MAX_LOOKED_AT = 5_000;
/** A source file above this is generated or data. */
const MAX_BYTES: number = 1024 * 1024;

export interface MentionsOptions {
  readonly roots: readonly Root[];
  readonly wanted: (path: string) => boolean;
  readonly word: string;
  /** The most files to return. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Mentions {
  readonly files: readonly string[];
  /** There are more files than were looked at or returned. */
  readonly cut: boolean;
}

/**
 * Files that contain a word, in any letter case. A server that serves only what is opened knows nothing of the others,
 * so these are what it has to be shown.
 */
export async function filesMentioning(scope: Scope, options: MentionsOptions): Promise<Mentions> {
  const word = options.word.toLowerCase();
  const files: string[] = [];
  let looked = 0;
  for await (const path of sourceFiles(scope, options)) {
    if (looked >= MAX_LOOKED_AT || files.length >= options.limit) return { files, cut: true };
    looked += 1;
    if (await mentions(scope, path, word, options.signal)) files.push(path);
  }
  return { files, cut: false };
}

async function mentions(
  scope: Scope,
  path: string,
  word: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    const { text } = await scope.readText(path, {
      maxBytes: MAX_BYTES,
      ...(signal !== undefined && { signal }),
    });
    return text.toLowerCase().includes(word);
  } catch {
    signal?.throwIfAborted();
    return false;
  }
}
