import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Root } from '@rootward/core';
import { readPathRoots, Scope } from '@rootward/core';
import { outline, SharedLanguageServers } from '@rootward/lsp';
import { FakeClock } from '../fixtures/fake-clock.js';
import { Folder } from '../fixtures/folder.js';
import { liveWorkspace } from '../fixtures/live-workspace.js';
import { scripted } from '../fixtures/scripted.js';

let home: Folder;
let clock: FakeClock;
let shared: SharedLanguageServers;

beforeEach(() => {
  home = new Folder({ 'a/x.toy': '', 'b/x.toy': '' });
  clock = new FakeClock();
  shared = new SharedLanguageServers({ servers: [scripted({}, { folders: 'file-driven' })], clock });
});

afterEach(async () => {
  await shared.dispose();
  home[Symbol.dispose]();
});

async function rootsAt(...names: readonly string[]): Promise<readonly Root[]> {
  const paths = names.map((name) => ({ path: home.at(name) }));
  return (await readPathRoots(paths, { source: 'flag', home: '/nonexistent' })).roots;
}

async function servedBy(principal: string | undefined, roots: readonly Root[]): Promise<string> {
  using lease = shared.lease(roots, principal);
  const context = { servers: lease.servers, scope: new Scope({ roots }) };
  const { symbols } = await outline(context, { file: `${roots[0]!.path}/x.toy` });
  return symbols[0]!.name;
}

test('lease() shares a process for the same principal and the same roots, in whatever order, and for no other', async () => {
  const both = await rootsAt('a', 'b');
  const first = await servedBy('ann', both);
  expect(await servedBy('ann', both.toReversed())).toBe(first);
  const others = [
    await servedBy('bob', both),
    await servedBy(undefined, both),
    await servedBy('ann', await rootsAt('a')),
    await servedBy(
      'ann',
      both.map((root) => ({ ...root, access: 'read-only' as const })),
    ),
  ];
  expect(new Set([first, ...others]).size).toBe(5);
});

test('servers nobody holds a lease of end after a while, and not before', async () => {
  const roots = await rootsAt('a');
  const lease = shared.lease(roots, undefined);
  const first = await servedBy(undefined, roots);
  clock.advance(9 * 60_000);
  expect(await servedBy(undefined, roots)).toBe(first);
  lease.dispose();
  lease.dispose();
  clock.advance(10 * 60_000);
  await vi.waitFor(() => expect(shared.groups).toBe(0), 30_000);
  expect(await servedBy(undefined, roots)).not.toBe(first);
});

test('follow() gives each workspace servers of its own, which end with it', async () => {
  const [one, two] = [await liveWorkspace(home.at('a')), await liveWorkspace(home.at('a'))];
  const servers = shared.follow(one);
  expect(shared.follow(one)).toBe(servers);
  expect(shared.follow(two)).not.toBe(servers);
  await shared.unfollow(one);
  await expect(outline({ servers, scope: one.scope() }, { file: home.at('a/x.toy') })).rejects.toMatchObject({
    code: 'disposed',
  });
  one.dispose();
  two.dispose();
});
