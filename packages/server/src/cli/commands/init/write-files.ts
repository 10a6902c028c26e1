import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '@rootward/core/platform';
import { painter } from '../../output/paint.js';
import { FAILED, FINE, printJson, displayFor, type Terminal } from '../../output/terminal.js';

/** The files a command was to write: those it wrote, and those that were there already and stay as they are. */
export function reportFiles(
  { written, kept }: { readonly written: readonly string[]; readonly kept: readonly string[] },
  { json }: { readonly json: boolean },
  terminal: Terminal,
): number {
  if (json) {
    printJson(terminal, { written, kept });
  } else {
    const paint = painter(displayFor(terminal, 'out'));
    const paintError = painter(displayFor(terminal, 'err'));
    for (const file of written) terminal.out(`${paint('good', 'Wrote')} ${file}\n`);
    for (const file of kept) {
      terminal.err(`${paintError('bad', 'rootward:')} Cannot write ${file}: it exists already\n`);
    }
  }
  return kept.length === 0 ? FINE : FAILED;
}

/**
 * Makes a folder and those above it. Node's own `recursive` never ends in a folder that accepts no entries, such as
 * `/proc`.
 */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path);
  try {
    await mkdir(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || parent === path) throw error;
    await makeFolder(parent);
    await mkdir(path);
  }
}
