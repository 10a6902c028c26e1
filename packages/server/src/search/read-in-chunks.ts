import { isUtf8 } from 'node:buffer';
import type { Scope } from '@rootward/core';
import type { LinePattern } from './line-pattern.js';

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = '\uFEFF';
/** A longer line is data, not text, and one piece of it cannot be matched without the rest. */
const MAX_LINE_LENGTH = 8 * 1024 * 1024;

/** Where a search of one file ends. A sparse file can claim to be thousands of times larger than any disk. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;

export interface TextChunk {
  /** Whole lines. */
  readonly text: string;
  /** How many lines of the file come before. */
  readonly linesBefore: number;
  /** What follows is left out: a line that is too long, or all the rest, which is not text. */
  readonly leavesOut: boolean;
}

/** A text file of any size as pieces of whole lines. Ends early where it stops being UTF-8 text; nothing comes of one that never is. */
export async function* readInChunks(
  scope: Scope,
  path: string,
  chunkBytes: number,
  signal: AbortSignal,
): AsyncGenerator<TextChunk, void> {
  let rest: Uint8Array = new Uint8Array();
  let linesBefore = 0;
  /** Inside a line that is left out. */
  let skipping = false;
  for (let offset = 0; ;) {
    const { bytes } = await scope.readBytes(path, { offset, length: chunkBytes, signal });
    const last = bytes.length < chunkBytes;
    offset += bytes.length;
    if (!last && offset >= MAX_FILE_BYTES) {
      yield { text: '', linesBefore, leavesOut: true };
      return;
    }
    const lineEnd = skipping ? bytes.indexOf(NEWLINE) + 1 : 0;
    if (skipping && lineEnd === 0) {
      if (last) return;
      continue;
    }
    if (skipping) linesBefore++;
    skipping = false;
    const data = Buffer.concat([rest, bytes.subarray(lineEnd)]);
    const end = last ? data.length : data.lastIndexOf(NEWLINE) + 1;
    if (!isUtf8(data.subarray(0, end))) {
      if (linesBefore > 0) yield { text: '', linesBefore, leavesOut: true };
      return;
    }
    const text = data.toString('utf8', 0, end);
    skipping = data.length - end > MAX_LINE_LENGTH;
    if (text !== '' || skipping) {
      yield { text: linesBefore === 0 ? withoutMark(text) : text, linesBefore, leavesOut: skipping };
    }
    if (last) return;
    linesBefore += countNewlines(data.subarray(0, end));
    rest = skipping ? new Uint8Array() : data.subarray(end);
  }
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

const CHUNK_BYTES = 1024 * 1024;

/** Whether a file, text or not, has what every match of the pattern contains: ripgrep's question, answered without it. */
export async function mayContain(
  scope: Scope,
  path: string,
  pattern: LinePattern,
  signal: AbortSignal,
): Promise<boolean> {
  if (pattern.literal === undefined) return true;
  const decoder = new TextDecoder();
  const overlap = pattern.literal.length;
  let end = '';
  for (let offset = 0; offset < MAX_FILE_BYTES;) {
    const { bytes } = await scope.readBytes(path, { offset, length: CHUNK_BYTES, signal });
    const text = end + decoder.decode(bytes, { stream: true });
    if (pattern.mayMatch(text)) return true;
    if (bytes.length < CHUNK_BYTES) return false;
    offset += bytes.length;
    end = text.slice(-overlap);
  }
  // Nobody has looked at the rest.
  return true;
}
