import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileUri } from '@rootward/core';
import { PreparedWorkspace } from '@rootward/mcp/host';
import { expect, test } from 'vitest';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { ModernRoots } from '../../src/roots/modern-roots.js';

test('ModernRoots uses an answer for its own call only', async () => {
  const home = join(tmpdir(), 'no-such-home');
  const prepared = new PreparedWorkspace({ environment: {}, home, hints: false, clock: new FakeClock() });
  const changes: unknown[] = [];
  const roots = await ModernRoots.open(prepared, 'local', (now, isRemoval) =>
    changes.push([now.length, isRemoval]),
  );
  const path = realpathSync(tmpdir());
  const answer = { result: { roots: [{ uri: pathToFileUri(path) }] } };
  roots.declare({ roots: true, listChanged: false, clientInfo: undefined });
  expect(await roots.forCall(undefined, answer)).toMatchObject([{ path }]);
  expect(await roots.forCall(undefined)).toEqual([]);
  expect(await roots.forCall(undefined, { missing: true })).toEqual([]);
  expect(await roots.forCall(undefined, answer)).toMatchObject([{ path }]);
  expect(await roots.forCall(undefined, { result: { roots: [] } })).toEqual([]);
  // The request without an answer did not end the server in place.
  expect(changes).toEqual([
    [1, false],
    [0, true],
    [1, false],
    [0, true],
  ]);
  roots.dispose();
});
