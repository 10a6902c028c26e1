import { readFileSync, statSync } from 'node:fs';
import { RootwardServerError } from '../../error.js';
import { readTokens } from './read-values.js';

/** A larger file is not a list of tokens. */
const MAX_BYTES = 64 * 1024;
const OTHERS = 0o077;

/** The tokens of a file: one on each line, without blank lines and those that start with `#`. Throws `usage`. */
export function readTokenFile(file: string): readonly string[] {
  const lines = readLines(file)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0) throw unusable(file, 'it holds no token');
  return readTokens(lines, { name: file, base: undefined });
}

/** Whether other users can read it. On Windows the mode says nothing about that. */
export function isSharedFile(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0;
}

function readLines(file: string): readonly string[] {
  try {
    const stats = statSync(file);
    if (!stats.isFile()) throw unusable(file, 'it is not a file');
    if (stats.size > MAX_BYTES) throw unusable(file, `it has more than ${MAX_BYTES} bytes`);
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if (error instanceof RootwardServerError) throw error;
    throw unusable(file, error instanceof Error ? error.message : String(error), error);
  }
}

function unusable(file: string, state: string, cause?: unknown): RootwardServerError {
  return new RootwardServerError('usage', `Cannot read tokens from ${file}: ${state}`, { cause });
}
