import { protectedPlaces } from '@rootward/core';
import { CLIENT_FILES, CLIENT_IDS, isSteering } from '@rootward/core/platform';
import { describe, expect, test } from 'vitest';
import { clientPlaces } from '../../../src/cli/install/clients/client-places.js';
import { scopesOf } from '../../../src/cli/install/clients/known-client.js';
import { KNOWN_CLIENTS } from '../../../src/cli/install/clients/known-clients.js';
import { partsOf } from '../../../src/cli/install/parts.js';

const ENVIRONMENTS: readonly Readonly<Record<string, string>>[] = [
  {},
  {
    XDG_CONFIG_HOME: '/x',
    CLAUDE_CONFIG_DIR: '/claude',
    CODEX_HOME: '/codex',
    COPILOT_HOME: '/copilot',
    CLINE_DIR: '/cline',
    CONTINUE_GLOBAL_DIR: '/continue',
    OPENCODE_CONFIG_DIR: '/opencode',
  },
];

test('every client of the register has a description, and the other way round', () => {
  expect(KNOWN_CLIENTS.map(({ id }) => id)).toEqual([...CLIENT_IDS]);
  expect(Object.keys(CLIENT_FILES).sort()).toEqual([...CLIENT_IDS].sort());
});

describe.each(ENVIRONMENTS)('every file that install writes is in the register, with %j:', (environment) => {
  const user = { environment, home: '/home/me' };
  const fixed = protectedPlaces(user).filter(({ where }) => where === 'at');
  const isProtected = (path: string): boolean =>
    isSteering(path) || fixed.some((place) => path === place.path || path.startsWith(`${place.path}/`));

  test.each(
    KNOWN_CLIENTS.flatMap((client) => scopesOf(client).map((scope) => [client.id, scope, client] as const)),
  )('%s, %s', async (_id, scope, client) => {
    const places = clientPlaces({ ...user, directory: '/work' });
    const server = { kind: 'stdio', name: 'rootward', command: 'npx', args: ['rootward'] } as const;
    const parts = await partsOf(client, server, scope, places);
    expect(parts.length).toBeGreaterThan(0);
    for (const { file } of parts)
      expect({ file, isProtected: isProtected(file) }).toEqual({ file, isProtected: true });
  });
});
