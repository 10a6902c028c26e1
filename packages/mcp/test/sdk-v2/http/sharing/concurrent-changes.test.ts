import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { MemoryStore, type WorkspaceHandler } from '../../../../src/index.js';
import { createInstance, waiting } from '../../../fixtures/instances.js';
import { RawHttpClient } from '../../../fixtures/raw-http-client.js';
import { eventually } from '../../../../../../testing/eventually.js';
import { temporaryFolder } from '../../../../../../testing/temporary-folders.js';

const { top, folder } = temporaryFolder('concurrent');
const [one, two, agreed, other] = [folder('one'), folder('two'), folder('agreed'), folder('other')];

async function whenWaiting(name: string): Promise<() => void> {
  return eventually(() => {
    const go = waiting.get(name);
    if (go === undefined) throw new Error(`${name} has not come`);
    return go;
  });
}

/** Three processes, and a client at each of them that speaks for the same session. */
async function connect(roots?: () => readonly string[]) {
  const store = new MemoryStore();
  const all: readonly WorkspaceHandler[] = [1, 2, 3].map(() => createInstance(store, top));
  const list = roots && (() => roots().map((path) => ({ uri: pathToFileURL(path).href })));
  const clients = all.map(({ fetch }) => new RawHttpClient(fetch, list && { roots: list }));
  const [first, second, third] = clients as [RawHttpClient, RawHttpClient, RawHttpClient];
  await first.connect();
  for (const each of clients) each.session = first.session;
  const close = async (): Promise<void> => {
    await Promise.all(all.map((each) => each.close()));
  };
  return { first, second, third, clients, close };
}

test('a root that the client took back stays away when a process that did not hear of it saves something else', async () => {
  let roots = [one, two];
  const { first, second, clients, close } = await connect(() => roots);
  await first.callTool('roots');
  await second.callTool('roots');
  const call = second.callTool('grant', { path: agreed, wait: 'taken back' });
  const go = await whenWaiting('taken back');
  roots = [one];
  await first.notify('notifications/roots/list_changed');
  expect(await first.callTool('roots')).toMatchObject({ roots: [one] });
  const asked = first.asked;
  go();
  await call;
  for (const each of clients) {
    expect(await each.callTool('roots')).toEqual({ roots: [one, agreed], project: agreed });
  }
  expect(first.asked).toBe(asked);
  await close();
});

test('of two places that the user agrees to at once in two processes, none is lost', async () => {
  const { first, second, clients, close } = await connect();
  const calls = [
    first.callTool('grant', { path: agreed, wait: 'agreed' }),
    second.callTool('grant', { path: other, wait: 'other' }),
  ];
  const [goFirst, goSecond] = [await whenWaiting('agreed'), await whenWaiting('other')];
  goFirst();
  await calls[0];
  // The second process takes over what the first one saved, while its own call is still under way.
  await second.request('ping');
  goSecond();
  await calls[1];
  for (const each of clients) {
    const { roots } = await each.callTool('roots');
    expect(roots).toEqual(expect.arrayContaining([agreed, other]));
  }
  await close();
});

test('a change that the client announces while another process asks about the one before is not forgotten', async () => {
  let roots = [one, two];
  const { first, second, third, close } = await connect(() => roots);
  await first.callTool('roots');
  roots = [one];
  await first.notify('notifications/roots/list_changed');
  // Asked, and answered before the next change, which another process hears of.
  const answer = second.callTool('grant', { path: agreed, wait: 'before' });
  const go = await whenWaiting('before');
  roots = [two];
  await first.notify('notifications/roots/list_changed');
  go();
  await answer;
  expect(await third.callTool('roots')).toMatchObject({ roots: [two, agreed] });
  await close();
});
