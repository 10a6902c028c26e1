import type { FileStamp } from '@rootward/core';
import { joins } from './find-word.js';
import type { SourceFile } from './source-files.js';

/** With more files or bytes than this, it starts afresh. */
const MAX_FILES = 100_000;
const MAX_BYTES: number = 64 * 1024 * 1024;
/** A filter has a bit for each character of its text, which is many for each word, and at least this many bytes. */
const MIN_FILTER_BYTES = 32;

interface Known {
  readonly stamp: FileStamp;
  /** Two bits are set for each word of the file. */
  readonly filter: Uint8Array;
}

/**
 * Words of files that were read before. It only ever says that a file, unchanged since then, does not have a word: all
 * other files have to be read.
 */
export class WordsOfFiles {
  readonly #known = new Map<string, Known>();
  #bytes = 0;

  /** Keeps the words of a text, with the stamp that its file had before it was read. */
  keep({ path, stamp }: SourceFile, text: string, read: FileStamp): void {
    // Another file may have taken its place meanwhile.
    if (stamp === undefined || !isSame(stamp, read)) return;
    const before = this.#known.get(path);
    if (before !== undefined && isSame(stamp, before.stamp)) return;
    const filter = filterOf(text);
    this.#bytes += filter.length - (before?.filter.length ?? 0);
    this.#known.set(path, { stamp, filter });
    if (this.#bytes <= MAX_BYTES && this.#known.size <= MAX_FILES) return;
    this.#known.clear();
    this.#bytes = 0;
  }

  /** Whether a file has none of some words. False also says that it is not known. */
  lacks({ path, stamp }: SourceFile, words: readonly Word[]): boolean {
    const known = this.#known.get(path);
    if (known === undefined || stamp === undefined || !isSame(stamp, known.stamp)) return false;
    const { filter } = known;
    const mask = filter.length * 8 - 1;
    const has = (bit: number): boolean => ((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
    return !words.some((word) => word.every((hash) => has(hash & mask) && has(second(hash) & mask)));
  }
}

function isSame(a: FileStamp, b: FileStamp): boolean {
  return (
    a.ctimeMs === b.ctimeMs &&
    a.mtimeMs === b.mtimeMs &&
    a.size === b.size &&
    a.ino === b.ino &&
    a.dev === b.dev
  );
}

/** A word to look for: the hash of each of its parts that stands between other characters, such as both of `a-b`. */
export type Word = readonly number[];

/** Where a word stands by itself, each of its parts is one of the words of that file. Pure. */
export function wordOf(text: string): Word {
  const hashes: number[] = [];
  eachWord(text, (hash) => hashes.push(hash));
  return hashes;
}

function filterOf(text: string): Uint8Array {
  const bytes = Math.max(MIN_FILTER_BYTES, 2 ** Math.ceil(Math.log2(Math.max(1, text.length / 8))));
  const filter = new Uint8Array(bytes);
  const mask = bytes * 8 - 1;
  const set = (bit: number): void => {
    filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
  };
  eachWord(text, (hash) => {
    set(hash & mask);
    set(second(hash) & mask);
  });
  return filter;
}

const UNKNOWN = 0;
const APART = 1;
const PART_OF_WORD = 2;
/** For each UTF-16 unit. An expression for each character would take ten times as long. */
const unitKinds = new Uint8Array(0x1_0000);

function isPartOfWord(unit: number): boolean {
  if (unitKinds[unit] === UNKNOWN) unitKinds[unit] = joins(String.fromCharCode(unit)) ? PART_OF_WORD : APART;
  return unitKinds[unit] === PART_OF_WORD;
}

/** Hashes by FNV-1a, mixed at the end because only some of the bits are used. */
function eachWord(text: string, take: (hash: number) => void): void {
  const start = 0x811c9dc5;
  let hash = start;
  let isInWord = false;
  for (let at = 0; at <= text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (at < text.length && isPartOfWord(unit)) {
      hash = Math.imul(hash ^ unit, 0x01000193);
      isInWord = true;
    } else if (isInWord) {
      take(mixed(hash));
      hash = start;
      isInWord = false;
    }
  }
}

function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return half ^ (half >>> 13);
}

/** Another hash of the same word. */
function second(hash: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> 12;
}
