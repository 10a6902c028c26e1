import { RootwardServerError } from '../../error.js';
import { nearestMatch, suggest } from '../../configuration/nearest-match.js';
import { KNOWN_CLIENTS } from '../client-configurations.js';
import type { ClientConnection, KnownClient } from '../client-configurations.js';
import { FINE } from '../terminal.js';
import type { Terminal } from '../terminal.js';

/** Prints a configuration to paste into a client. */
export function runConfig(
  client: string | undefined,
  connection: ClientConnection,
  terminal: Terminal,
): number {
  if (client === undefined) {
    throw new RootwardServerError(
      'usage',
      `Cannot print a configuration: name the client with --client (${ids()})`,
    );
  }
  const { place, text, note } = findClient(client).configure(connection);
  terminal.err(`# ${place}\n`);
  terminal.out(`${text}\n`);
  if (note !== undefined) terminal.err(`# ${note}\n`);
  return FINE;
}

export function findClient(wanted: string): KnownClient {
  const id = plain(wanted);
  const found = KNOWN_CLIENTS.find((client) => plain(client.id) === id || plain(client.name) === id);
  if (found !== undefined) return found;
  const known = KNOWN_CLIENTS.map((client) => client.id);
  const hint = nearestMatch(wanted, known) === undefined ? `; known are ${ids()}` : suggest(wanted, known);
  throw new RootwardServerError(
    'usage',
    `Cannot use ${JSON.stringify(wanted)} as --client: it is not known${hint}`,
  );
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

function ids(): string {
  return KNOWN_CLIENTS.map(({ id }) => id).join(', ');
}
