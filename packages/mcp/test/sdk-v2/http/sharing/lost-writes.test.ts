import type { Disposable } from '@rootward/core';
import { expect, test } from 'vitest';
import { MemoryStore } from '../../../../src/index.js';
import { eventually } from '../../../../../../testing/eventually.js';
import { shareSession } from '../../../fixtures/instances.js';
import type { RawHttpClient } from '../../../fixtures/raw-http-client.js';
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

/** Two processes, and a client at each of them that speaks for the same session. Both know its roots, one and two. */
async function connect() {
  const store = new ForgetfulStore();
  let roots = [one, two];
  const [first, second] = await shareSession(2, store, top, () => roots);
  for (const each of [first, second]) await each.callTool('roots');
  await store.remember();
  /** Takes back the second root, and tells the process of one client. */
  const takeBack = async (client: RawHttpClient): Promise<void> => {
    roots = [one];
    await client.notify('notifications/roots/list_changed');
  };
  return { store, first, second, takeBack };
}

async function grant(client: RawHttpClient, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) await client.callTool('grant', { path });
}

function folders(count: number, name: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => folder(`${name} ${index}`));
}

test('a root that the client takes back after the store lost something is gone everywhere', async () => {
  const { store, first, second, takeBack } = await connect();
  await grant(first, agreed, other);
  await store.goBack();
  // As many changes as were lost.
  await takeBack(second);
  expect(await second.callTool('roots')).toMatchObject({ roots: [one] });
  expect(await first.callTool('roots')).toMatchObject({ roots: [one, agreed, other] });
  expect(await second.callTool('roots')).toMatchObject({ roots: [one, agreed, other] });
});

test('a root that the client took back does not return because the store lost that', async () => {
  const { store, first, second, takeBack } = await connect();
  await takeBack(first);
  expect(await first.callTool('roots')).toMatchObject({ roots: [one] });
  await store.goBack();
  await grant(second, agreed, other);
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

async function expectTakenBack(...clients: readonly RawHttpClient[]): Promise<void> {
  for (const each of clients) {
    const { roots } = (await each.callTool('roots')) as { roots: readonly string[] };
    expect([roots.includes(one), roots.includes(two)]).toEqual([true, false]);
  }
}

test.each(COUNTS)('%i changes lost, %i made since: what is taken back then is gone', async (lost, made) => {
  const { store, first, second, takeBack } = await connect();
  await grant(first, ...folders(lost, 'lost'));
  await store.goBack();
  await takeBack(second);
  await grant(second, ...folders(made - 1, 'made'));
  await expectTakenBack(first, second, first);
});

test.each(COUNTS)(
  '%i changes lost, %i made since: what was taken back does not return',
  async (lost, made) => {
    const { store, first, second, takeBack } = await connect();
    await takeBack(first);
    await grant(first, ...folders(lost - 1, 'lost'));
    await store.goBack();
    await grant(second, ...folders(made, 'made'));
    await expectTakenBack(first, second, first);
  },
);

test('what a process hears after the store lost something is not overwritten by what another one saves', async () => {
  const { store, first, second, takeBack } = await connect();
  await grant(first, agreed, other);
  await store.goBack();
  await takeBack(second);
  await grant(first, folder('third'));
  for (const each of [first, second]) {
    expect(await each.callTool('roots')).toMatchObject({ roots: [one, agreed, other, folder('third')] });
  }
});

test('a process that knows what the client took back tells the others after the store lost it', async () => {
  const { store, first, second, takeBack } = await connect();
  await takeBack(first);
  expect(await first.callTool('roots')).toMatchObject({ roots: [one] });
  await store.goBack();
  await eventually(async () => expect(await second.callTool('roots')).toMatchObject({ roots: [one] }));
});
