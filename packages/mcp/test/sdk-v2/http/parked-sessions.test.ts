import { pathToFileURL } from 'node:url';
import { McpServer } from '@modelcontextprotocol/server';
import { expect, test, vi } from 'vitest';
import { createWorkspaceHandler, MemoryStore, withWorkspace } from '../../../src/index.js';
import type { WorkspaceHandler, WorkspaceHandlerOptions } from '../../../src/index.js';
import { FakeClock } from '../../../../../testing/fake-clock.js';
import { RawHttpClient } from '../../fixtures/raw-http-client.js';
import { temporaryFolder } from '../../../../../testing/temporary-folders.js';

const { top, folder } = temporaryFolder('parked');
const [one, two] = [folder('one'), folder('two')];
const uri = (path: string): string => pathToFileURL(path).href;

/** Makes servers that tell the roots, and counts them. */
function parking(options: WorkspaceHandlerOptions): {
  readonly handler: WorkspaceHandler;
  readonly made: () => number;
} {
  let made = 0;
  const handler = createWorkspaceHandler(() => {
    made += 1;
    const server = withWorkspace(new McpServer({ name: 'parks', version: '1.0.0' }), {
      within: [top],
      environment: {},
      home: top,
    });
    server.registerTool('roots', {}, async ({ workspace }) => {
      const roots = (await workspace.roots()).map(({ path }) => path);
      return { content: [], structuredContent: { roots } };
    });
    return server;
  }, options);
  return { handler, made: () => made };
}

test('a session that is parked goes on with its next request', async () => {
  const clock = new FakeClock();
  const { handler, made } = parking({ clock, parkAfter: 1000, sessionIdleTimeout: 10_000 });
  const client = new RawHttpClient(handler.fetch, { roots: () => [{ uri: uri(one) }] });
  await client.connect();
  expect(await client.callTool('roots')).toEqual({ roots: [one] });
  expect(made()).toBe(1);
  clock.advance(1500);
  clock.advance(1500);
  const calls = await Promise.all([client.callTool('roots'), client.callTool('roots')]);
  expect(calls).toEqual([{ roots: [one] }, { roots: [one] }]);
  expect([made(), handler.sessions, client.asked]).toEqual([2, 1, 1]);
  for (let second = 0; second < 12; second++) clock.advance(1000);
  expect(handler.sessions).toBe(0);
  await handler.close();
});

test('of the sessions that rest, only the last ones keep their servers', async () => {
  const clock = new FakeClock();
  const { handler, made } = parking({ clock, maxResting: 2 });
  const clients = [one, two, one, two].map(
    (path) => new RawHttpClient(handler.fetch, { roots: () => [{ uri: uri(path) }] }),
  );
  for (const client of clients) {
    await client.connect();
    await client.callTool('roots');
  }
  expect(made()).toBe(4);
  clock.advance(1500);
  // The last two are still there.
  expect(await clients[2]!.callTool('roots')).toEqual({ roots: [one] });
  expect(await clients[3]!.callTool('roots')).toEqual({ roots: [two] });
  expect(made()).toBe(4);
  // The others go on with the roots of their clients, who are not asked again.
  expect(await clients[0]!.callTool('roots')).toEqual({ roots: [one] });
  expect(await clients[1]!.callTool('roots')).toEqual({ roots: [two] });
  expect(made()).toBe(6);
  expect(clients.map(({ asked }) => asked)).toEqual([1, 1, 1, 1]);
  expect(handler.sessions).toBe(4);
  clock.advance(1500);
  expect(await clients[1]!.callTool('roots')).toEqual({ roots: [two] });
  expect(made()).toBe(6);
  await handler.close();
});

test('a session is not parked while a request for it arrives', async () => {
  const clock = new FakeClock();
  const sessionStore = new MemoryStore();
  const { handler } = parking({ clock, sessionStore, parkAfter: 1000 });
  const client = new RawHttpClient(handler.fetch, { roots: () => [{ uri: uri(one) }] });
  await client.connect();
  await client.callTool('roots');
  const replace = sessionStore.replace.bind(sessionStore);
  vi.spyOn(sessionStore, 'replace').mockImplementationOnce((...args) => {
    clock.advance(1500);
    clock.advance(1500);
    return replace(...args);
  });
  expect((await client.send('DELETE')).status).toBe(200);
  await handler.close();
});
