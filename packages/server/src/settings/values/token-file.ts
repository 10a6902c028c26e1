import { statSync } from 'node:fs';
import { RootwardServerError } from '../../error.js';
import { readTokens } from './read-values.js';
import { readSmallFile } from './small-file.js';

const OTHERS = 0o077;

/** The tokens of a file: one on each line, without blank lines and those that start with `#`. Throws `usage`. */
export function readTokenFile(file: string): readonly string[] {
  const lines = readSmallFile(file, 'tokens')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.length === 0)
    throw new RootwardServerError('usage', `Cannot read tokens from ${file}: it holds no token`);
  return readTokens(lines, { name: file, base: undefined });
}

/** Whether other users can read it. On Windows the mode says nothing about that. */
export function isSharedFile(file: string): boolean {
  return process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0;
}
