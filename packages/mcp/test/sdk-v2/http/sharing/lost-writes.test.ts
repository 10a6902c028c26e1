import { pathToFileURL } from 'node:url';
import type { Disposable } from '@rootward/core';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryStore } from '../../../../src/index.js';
import { eventually } from '../../../../../../testing/eventually.js';
import { createInstance } from '../../../fixtures/instances.js';
import { RawHttpClient } from '../../../fixtures/raw-http-client.js';
import { temporaryFolder } from '../../../../../../testing/temporary-folders.js';

const { top, folder } = temporaryFolder('lost');
const [one, two, agreed, other] = [folder('one'), folder('two'), folder('agreed'), folder('other')];

/** A store that can lose what was written last, as one whose replica takes over does. */
class ForgetfulStore extends MemoryStore {
  readonly #listeners: Parameters<MemoryStore['subscribe']>[1][] = [];
  #key = '';
  #before = '';

  override subscribe(...[channel, listener]: Parameters<MemoryStore['subscribe']>): Disposable {
    this.#listeners.push(listener);
    return super.subscribe(channel, listener);
  }

  override replace(key: string, ...rest: [string | undefined, string | undefined, number]): Promise<boolean> {
    if (key.startsWith('session:')) this.#key = key;
    return super.replace(key, ...rest);
  }

  async remember(): Promise<void> {
    this.#before = (await this.read(this.#key))!;
  }

  /** Goes back to what it remembers of the only session. Its connections break meanwhile. */
  async goBack(): Promise<void> {
    expect(await super.replace(this.#key, await this.read(this.#key), this.#before, 60_000)).toBe(true);
    for (const listener of this.#listeners) listener(undefined);
  }
}

/** Two processes, and a client at each of them that speaks for the same session. Both know its roots. */
async function connect(roots: () => readonly string[]) {
  const store = new ForgetfulStore();
  const list = (): { uri: string }[] => roots().map((path) => ({ uri: pathToFileURL(path).href }));
  const [first, second] = [1, 2].map(() => {
    const handler = createInstance(store, top);
    onTestFinished(() => handler.close());
    return new RawHttpClient(handler.fetch, { roots: list });
  }) as [RawHttpClient, RawHttpClient];
  await first.connect();
  second.session = first.session;
  for (const each of [first, second]) await each.callTool('roots');
  await store.remember();
  return { store, first, second };
}

test('a root that the client takes back after the store lost something is gone everywhere', async () => {
  let roots = [one, two];
  const { store, first, second } = await connect(() => roots);
  for (const path of [agreed, other]) await first.callTool('grant', { path });
  await store.goBack();
  // As many changes as were lost.
  roots = [one];
  await second.notify('notifications/roots/list_changed');
  expect(await second.callTool('roots')).toMatchObject({ roots: [one] });
  expect(await first.callTool('roots')).toMatchObject({ roots: [one, agreed, other] });
  expect(await second.callTool('roots')).toMatchObject({ roots: [one, agreed, other] });
});

test('a root that the client took back does not return because the store lost that', async () => {
  let roots = [one, two];
  const { store, first, second } = await connect(() => roots);
  roots = [one];
  await first.notify('notifications/roots/list_changed');
  expect(await first.callTool('roots')).toMatchObject({ roots: [one] });
  await store.goBack();
  for (const path of [agreed, other]) await second.callTool('grant', { path });
  // It cannot be known whether the client took the other places back, too: the user is asked again.
  for (const each of [first, second, first]) {
    expect(await each.callTool('roots')).toMatchObject({ roots: [one] });
  }
});

/** How many changes were lost, and how many another process has made since. */
const COUNTS = [
  [3, 2],
  [2, 3],
  [2, 1],
  [1, 4],
] as const;

test.each(COUNTS)('%i changes lost, %i made since: what is taken back then is gone', async (lost, made) => {
  let roots = [one, two];
  const { store, first, second } = await connect(() => roots);
  for (let change = 0; change < lost; change++)
    await first.callTool('grant', { path: folder(`lost ${change}`) });
  await store.goBack();
  roots = [one];
  await second.notify('notifications/roots/list_changed');
  for (let change = 1; change < made; change++)
    await second.callTool('grant', { path: folder(`made ${change}`) });
  for (const each of [first, second, first]) {
    const { roots: found } = (await each.callTool('roots')) as { roots: readonly string[] };
    expect([found.includes(one), found.includes(two)]).toEqual([true, false]);
  }
});

test.each(COUNTS)(
  '%i changes lost, %i made since: what was taken back does not return',
  async (lost, made) => {
    let roots = [one, two];
    const { store, first, second } = await connect(() => roots);
    roots = [one];
    await first.notify('notifications/roots/list_changed');
    for (let change = 1; change < lost; change++)
      await first.callTool('grant', { path: folder(`lost ${change}`) });
    await store.goBack();
    for (let change = 0; change < made; change++)
      await second.callTool('grant', { path: folder(`made ${change}`) });
    for (const each of [first, second, first]) {
      const { roots: found } = (await each.callTool('roots')) as { roots: readonly string[] };
      expect([found.includes(one), found.includes(two)]).toEqual([true, false]);
    }
  },
);

test('what a process hears after the store lost something is not overwritten by what another one saves', async () => {
  let roots = [one, two];
  const { store, first, second } = await connect(() => roots);
  for (const path of [agreed, other]) await first.callTool('grant', { path });
  await store.goBack();
  roots = [one];
  await second.notify('notifications/roots/list_changed');
  await first.callTool('grant', { path: folder('third') });
  for (const each of [first, second]) {
    expect(await each.callTool('roots')).toMatchObject({ roots: [one, agreed, other, folder('third')] });
  }
});

test('a process that knows what the client took back tells the others after the store lost it', async () => {
  let roots = [one, two];
  const { store, first, second } = await connect(() => roots);
  roots = [one];
  await first.notify('notifications/roots/list_changed');
  expect(await first.callTool('roots')).toMatchObject({ roots: [one] });
  await store.goBack();
  await eventually(async () => expect(await second.callTool('roots')).toMatchObject({ roots: [one] }));
});
