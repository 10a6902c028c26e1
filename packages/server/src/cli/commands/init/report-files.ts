import { painter } from '../../output/paint.js';
import { FAILED, FINE, printJson, screenFor } from '../../output/terminal.js';
import type { Terminal } from '../../output/terminal.js';

/** The files a command was to write: those it wrote, and those that were there already and stay as they are. */
export function reportFiles(
  { written, kept }: { readonly written: readonly string[]; readonly kept: readonly string[] },
  { json }: { readonly json: boolean },
  terminal: Terminal,
): number {
  if (json) {
    printJson(terminal, { written, kept });
  } else {
    const paint = painter(screenFor(terminal, 'out'));
    const paintError = painter(screenFor(terminal, 'err'));
    for (const file of written) terminal.out(`${paint('good', 'Wrote')} ${file}\n`);
    for (const file of kept) {
      terminal.err(`${paintError('bad', 'rootward:')} Cannot write ${file}: it exists already\n`);
    }
  }
  return kept.length === 0 ? FINE : FAILED;
}
