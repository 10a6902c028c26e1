import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorLimits, readSources, resolveSnapshot, type Snapshot, type Sources } from '@rootward/core';
import { Deferred } from '@rootward/core/platform';
import { PreparedWorkspace } from '@rootward/mcp/host';
import { expect, onTestFinished, test } from 'vitest';
import type { SharedServer } from '../../src/http/shared-server.js';
import { SharedServers, type Sharer } from '../../src/http/shared-servers.js';
import type { Outer } from '../../src/session/outer.js';
import { RawMessage } from '../../src/wire/raw-message.js';
import { serverScript } from '../fixtures/server-script.js';
import { wrapScript } from '../fixtures/wrap-script.js';
import { temporaryFolder } from '../../../../testing/temporary-folders.js';

/** Introduces itself, and answers nothing else. */
const SILENT = serverScript(`
  serve((message) => {
    if (message.method === 'initialize') introduce(message, {});
  });`);

interface Opened {
  readonly servers: SharedServers;
  readonly limits: OperatorLimits;
  /** In a folder of its own. */
  readonly snapshot: () => Promise<Snapshot>;
}

async function open(maxServers?: number): Promise<Opened> {
  const { top: home } = temporaryFolder('shared');
  const limits = new OperatorLimits();
  const environment = {};
  const read = async (): Promise<Sources> => {
    const root = mkdtempSync(join(home, 'root-'));
    return { ...(await readSources({ environment, home, roots: [root], hints: false })), limits };
  };
  const servers = new SharedServers(
    {
      ...wrapScript(SILENT),
      prepared: new PreparedWorkspace({ environment, home, sources: await read() }),
      transport: 'http',
      era: 'legacy',
    },
    maxServers,
  );
  onTestFinished(() => servers.close());
  return {
    servers,
    limits,
    snapshot: async () => resolveSnapshot(await read(), { declaresRoots: false }, { now: Date.now() }),
  };
}

const by = (principal: string): Sharer => ({
  principal,
  protocolVersion: '2025-11-25',
  clientInfo: undefined,
});

/** A call that the server never answers; resolves with what the client is told instead. */
async function call(server: SharedServer): Promise<{ readonly told: Promise<string> }> {
  await server.introduction;
  const told = new Deferred<string>();
  const client: Outer = { send: (pieces) => told.resolve(Buffer.concat([...pieces]).toString()) };
  server.request(RawMessage.from({ id: 1, method: 'tools/call', params: { name: 'x' } }), client);
  return { told: told.promise };
}

test('SharedServers ends one that nobody uses for a new one', async () => {
  const { servers, snapshot } = await open(2);
  const [one, other, third] = [await snapshot(), await snapshot(), await snapshot()];
  const [first, second] = [servers.for(one, by('a')), servers.for(other, by('a'))];
  await call(first);
  await second.introduction;
  const last = servers.for(third, by('a'));
  expect([first, second, last].map(({ isEnded }) => isEnded)).toEqual([false, true, false]);
  expect(servers.for(one, by('a'))).toBe(first);
});

test('SharedServers lets no principal keep another out with calls, and none have more than there is room for', async () => {
  const { servers, snapshot } = await open(2);
  const calls = [
    await call(servers.for(await snapshot(), by('a'))),
    await call(servers.for(await snapshot(), by('a'))),
  ];
  const more = await snapshot();
  expect(() => servers.for(more, by('a'))).toThrow('too many servers are in use');
  const server = servers.for(more, by('b'));
  expect(await calls[0]!.told).toContain('ended to make room for another client');
  await call(server);
  expect(server.isEnded).toBe(false);
});

test('SharedServers ends servers of a folder that the operator takes away, and calls under way fail', async () => {
  const { servers, limits, snapshot } = await open();
  const taken = await snapshot();
  const [lost, kept] = [servers.for(taken, by('a')), servers.for(await snapshot(), by('a'))];
  const { told } = await call(lost);
  limits.set(taken.roots[0]!.path, 'revoked');
  expect(await told).toContain('the operator took a folder away');
  expect([lost.isEnded, kept.isEnded]).toEqual([true, false]);
  expect(() => servers.for(taken, by('a'))).toThrow('the operator took a folder away');
  // One that came in between is not left waiting.
  expect(await (await call(lost)).told).toContain('the operator took a folder away');
});
