import { ownCommandHere } from '../../install/own-program.js';
import { quoteForShell } from '../../output/quote-for-shell.js';
import type { Terminal } from '../../output/terminal.js';

/** What to tell a person who wraps a server on a terminal, where no client speaks to it. */
export function explainWrap(words: readonly string[], start: Terminal['start']): string {
  const own = ownCommandHere(start);
  const command = words.map(quoteForShell).join(' ');
  return `This stands between a client and a server; nobody is a client on a terminal, so it stops here. What you may want instead:

  ${own} doctor -- ${command}
    starts the server, and says what it asks for
  ${own} config --client cursor --name my-server -- ${command}
    prints the configuration of a client, which calls the server by that name
`;
}
