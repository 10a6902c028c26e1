import { RootwardServerError } from '../../error.js';
import type { Terminal } from './terminal.js';

/** Whether the person at the terminal agrees. Throws `usage` where there is none: `--yes` agrees beforehand. */
export async function confirm(question: string, terminal: Terminal): Promise<boolean> {
  if (!terminal.interactive || terminal.ask === undefined) {
    throw new RootwardServerError(
      'usage',
      'Cannot ask whether to write this: there is no terminal; add --yes',
    );
  }
  const answer = await terminal.ask(`${question} [y/N] `);
  if (/^y(?:es)?$/i.test(answer.trim())) return true;
  terminal.err('Nothing was written.\n');
  return false;
}
