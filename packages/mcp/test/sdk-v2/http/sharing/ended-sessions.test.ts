import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/server';
import { Deferred } from '@rootward/core/platform';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import {
  createWorkspaceHandler,
  MemoryStore,
  prepareWorkspace,
  withWorkspace,
  type WorkspaceHandler,
} from '../../../../src/index.js';
import { eventually } from '../../../../../../testing/eventually.js';
import { settle } from '../../../../../../testing/fake-clock.js';
import { RawHttpClient } from '../../../fixtures/raw-http-client.js';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-ended-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** A store that says how many sessions it has. */
class Store extends MemoryStore {
  readonly #keys = new Set<string>();

  override replace(...args: Parameters<MemoryStore['replace']>): Promise<boolean> {
    if (args[0].startsWith('session:')) this.#keys.add(args[0]);
    return super.replace(...args);
  }

  async sessions(): Promise<number> {
    const texts = await Promise.all([...this.#keys].map((key) => this.read(key)));
    return texts.filter((text) => text !== undefined).length;
  }
}

/** A process whose servers wait in `onSubscribe` for as long as they are told of a subscription. */
function instance(store: Store, hasWorkspace: boolean, onSubscribe: () => Promise<void>): WorkspaceHandler {
  const prepared = prepareWorkspace({ within: [top], environment: {}, home: top });
  const makeServer = (): McpServer => {
    const made = new McpServer(
      { name: 'ended', version: '1' },
      { capabilities: { resources: { subscribe: true } } },
    );
    made.server.setRequestHandler('resources/subscribe', async () => {
      await onSubscribe();
      return {};
    });
    return hasWorkspace ? withWorkspace(made, prepared) : made;
  };
  const handler = createWorkspaceHandler(makeServer, { sessionStore: store });
  onTestFinished(() => handler.close());
  return handler;
}

/** Ends a session while a second process, which may have had it before, is told of a subscription. */
async function endMeanwhile(hasWorkspace: boolean, hadIt: boolean): Promise<void> {
  const store = new Store();
  const [reached, goOn] = [new Deferred(), new Deferred()];
  const first = instance(store, hasWorkspace, () => Promise.resolve());
  const second = instance(store, hasWorkspace, () => {
    reached.resolve();
    return goOn.promise;
  });
  const [client, other] = [new RawHttpClient(first.fetch), new RawHttpClient(second.fetch)];
  await client.connect();
  other.session = client.session;
  if (hadIt) await other.request('ping');
  await client.request('resources/subscribe', { uri: 'x://y' });
  const answer = other.post({ jsonrpc: '2.0', id: 9, method: 'ping' });
  await reached.promise;
  expect((await client.send('DELETE')).status).toBe(200);
  await settle();
  goOn.resolve();
  expect.soft((await answer).status).toBe(404);
  await eventually(() => expect([first.sessions, second.sessions]).toEqual([0, 0]));
  await settle();
  expect(await store.sessions()).toBe(0);
}

const SERVERS = [
  ['with a workspace', true],
  ['without one', false],
] as const;

test.each(SERVERS)(
  'a session that ends while another process takes it over is not found there, and does not come back: a server %s',
  (_, hasWorkspace) => endMeanwhile(hasWorkspace, false),
);

test.each(SERVERS)(
  'a session that ends while another process catches up with it is not found there: a server %s',
  (_, hasWorkspace) => endMeanwhile(hasWorkspace, true),
);
