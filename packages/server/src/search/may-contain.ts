import type { Scope } from '@rootward/core';
import type { LinePattern } from './line-pattern.js';

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
  for (let offset = 0; ;) {
    const { bytes } = await scope.readBytes(path, { offset, length: CHUNK_BYTES, signal });
    const text = end + decoder.decode(bytes, { stream: true });
    if (pattern.mayMatch(text)) return true;
    if (bytes.length < CHUNK_BYTES) return false;
    offset += bytes.length;
    end = text.slice(-overlap);
  }
}
