import { withPreset } from '@rootward/wrap';
import type { Terminal } from '../../output/terminal.js';
import { findCommand } from '../../../wrapped/find-command.js';

/** A command line for a configuration: it means the same wherever it is started, and has what its server needs. */
export async function wrappedWords(
  words: readonly string[],
  start: Terminal['start'],
): Promise<readonly string[]> {
  if (words.length === 0) return [];
  const { command, args } = await findCommand(words, start, { mustExist: false });
  return withPreset([command, ...args]);
}
