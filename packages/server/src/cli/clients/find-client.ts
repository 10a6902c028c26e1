import { RootwardServerError } from '../../error.js';
import { nearestMatch, suggest } from '@rootward/core/platform';
import { CLIENT_IDS, KNOWN_CLIENTS } from './client-configurations.js';
import type { KnownClient } from './client-configurations.js';

/** A known client by its id or its name, however it is written. Throws `usage` with the nearest id. */
export function findClient(wanted: string): KnownClient {
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
