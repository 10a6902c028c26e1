import { RootwardServerError } from '../../../error.js';
import { CLIENT_IDS, nearestMatch, suggest } from '@rootward/core/platform';
import { AGENTS } from './agents.js';
import { EDITORS } from './editors.js';
import type { KnownClient } from './known-client.js';

/** Every client there is a ready configuration for. */
export const KNOWN_CLIENTS: readonly KnownClient[] = CLIENT_IDS.flatMap((id) =>
  [...AGENTS, ...EDITORS].filter((client) => client.id === id),
);

/** The client that was asked for by id or name, in any spelling. */
export function findClient(wanted: string | undefined, purpose: string): KnownClient {
  if (wanted === undefined) {
    throw new RootwardServerError(
      'usage',
      `Cannot ${purpose}: name the client with --client (${CLIENT_IDS.join(', ')})`,
    );
  }
  const id = plain(wanted);
  const found = KNOWN_CLIENTS.find((client) => plain(client.id) === id || plain(client.name) === id);
  if (found !== undefined) return found;
  const hint =
    nearestMatch(wanted, CLIENT_IDS) === undefined
      ? `; known are ${CLIENT_IDS.join(', ')}`
      : suggest(wanted, CLIENT_IDS);
  throw new RootwardServerError(
    'usage',
    `Cannot use ${JSON.stringify(wanted)} as --client: it is not known${hint}`,
  );
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}
