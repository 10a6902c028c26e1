import { afterEach, beforeEach, expect, test } from 'vitest';
import { readPathRoots, Scope, type Root, type Workspace } from '@rootward/core';
import { outline, SharedLanguageServers, type Lease } from '@rootward/lsp';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { Folder } from '../fixtures/folder.js';
import { giveRoots, liveWorkspace } from '../fixtures/live-workspace.js';
import { scripted } from '../fixtures/scripted.js';
import { eventually } from '../../../../testing/eventually.js';

let home: Folder;
let clock: FakeClock;
let shared: SharedLanguageServers;
const workspaces: Workspace[] = [];

beforeEach(() => {
  home = new Folder({ 'a/x.toy': '', 'b/x.toy': '' });
  clock = new FakeClock();
  shared = new SharedLanguageServers({ servers: [scripted({}, { folders: 'file-driven' })], clock });
});

afterEach(async () => {
  await shared.dispose();
  for (const workspace of workspaces.splice(0)) workspace.dispose();
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
  const held = shared.lease(both, 'ann');
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
  held.dispose();
});

test('lease() takes servers that nobody uses over to a new list of the same principal', async () => {
  const [one, both] = [await rootsAt('a'), await rootsAt('a', 'b')];
  const first = await servedBy('ann', one);
  expect(await servedBy('bob', both)).not.toBe(first);
  expect(await servedBy('ann', both)).toBe(first);
  // Both lists are in use by turns now: each has servers of its own, and keeps them.
  const second = await servedBy('ann', one);
  expect(second).not.toBe(first);
  expect(await servedBy('ann', both)).toBe(first);
  expect(await servedBy('ann', one)).toBe(second);
});

test('lease() takes over no servers that are in use, have no root in common, or have seen what is gone', async () => {
  const [one, other, both] = [await rootsAt('a'), await rootsAt('b'), await rootsAt('b', 'a')];
  const held = shared.lease(one, 'ann');
  const first = await servedBy('ann', one);
  const second = await servedBy('ann', both);
  expect(second).not.toBe(first);
  held.dispose();
  const readOnly = one.map((root) => ({ ...root, access: 'read-only' as const }));
  expect([first, second]).not.toContain(await servedBy('ann', readOnly));
  // It has opened a file of the root that the new list has not.
  const seen = both.toReversed();
  expect(await servedBy('ann', seen)).toBe(second);
  expect([first, second]).not.toContain(await servedBy('ann', other));
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
  await eventually(() => expect(shared.groups).toBe(0));
  expect(await servedBy(undefined, roots)).not.toBe(first);
});

function borrow(workspace: Workspace, principal = 'ann'): Promise<Lease> {
  return shared.borrow(workspace, workspace.snapshot().roots, principal);
}

async function followed(workspace: Workspace): Promise<string> {
  using lease = await borrow(workspace);
  const context = { servers: lease.servers, scope: workspace.scope() };
  const { symbols } = await outline(context, { file: `${workspace.scope().roots[0]!.path}/x.toy` });
  return symbols[0]!.name;
}

async function openWorkspaces(...names: readonly string[]): Promise<readonly Workspace[]> {
  const opened = await Promise.all(names.map((name) => liveWorkspace(home.at(name))));
  workspaces.push(...opened);
  return opened;
}

test('borrow() shares a process between workspaces of the same principal and the same roots, and no others', async () => {
  const [one, two, three] = await openWorkspaces('a', 'a', 'b');
  const first = await followed(one!);
  expect(await followed(two!)).toBe(first);
  expect(await servedBy('ann', one!.scope().roots)).toBe(first);
  const others = [await followed(three!), await servedBy('bob', one!.scope().roots)];
  expect(new Set([first, ...others]).size).toBe(3);
});

test('servers end with the last workspace that follows them', async () => {
  const [one, two] = await openWorkspaces('a', 'a');
  const { servers } = await borrow(one!);
  const first = await followed(two!);
  await shared.unfollow(one!);
  expect(await followed(two!)).toBe(first);
  await shared.unfollow(two!);
  expect(shared.groups).toBe(0);
  const asked = outline({ servers, scope: one!.scope() }, { file: home.at('a/x.toy') });
  await expect(asked).rejects.toMatchObject({ code: 'disposed' });
});

test('a workspace alone with its servers takes them along when its roots change', async () => {
  const [one] = await openWorkspaces('a');
  const first = await followed(one!);
  await giveRoots(one!, home.at('a'), home.at('b'));
  expect(shared.groups).toBe(1);
  expect(await followed(one!)).toBe(first);
});

test('a workspace whose servers others use leaves them when its roots change', async () => {
  const [one, two] = await openWorkspaces('a', 'a');
  const first = await followed(one!);
  expect(await followed(two!)).toBe(first);
  await giveRoots(two!, home.at('b'));
  expect(await followed(two!)).not.toBe(first);
  expect(await followed(one!)).toBe(first);
  using call = await borrow(one!);
  expect(call.servers.status()).toMatchObject([{ folders: [home.at('a')] }]);
  await giveRoots(two!, home.at('a'));
  expect(await followed(two!)).toBe(first);
  await eventually(() => expect(shared.groups).toBe(1));
});

test('a call goes on with the servers it began with when its workspace goes over to others', async () => {
  const [one, two] = await openWorkspaces('a', 'b');
  await followed(two!);
  const scope = one!.scope();
  const call = await borrow(one!);
  await giveRoots(one!, home.at('b'));
  expect(await followed(one!)).toBe(await followed(two!));
  expect(shared.groups).toBe(2);
  const { symbols } = await outline({ servers: call.servers, scope }, { file: home.at('a/x.toy') });
  expect(symbols).toHaveLength(1);
  call.dispose();
  call.dispose();
  await eventually(() => expect(shared.groups).toBe(1));
});

test('nobody takes along servers that a call of another workspace still uses', async () => {
  const [one, two] = await openWorkspaces('a', 'a');
  using call = await borrow(one!);
  const first = await followed(two!);
  await giveRoots(one!, home.at('b'));
  await giveRoots(two!, home.at('a'), home.at('b'));
  expect(await followed(two!)).not.toBe(first);
  expect(call.servers.status()).toMatchObject([{ folders: [home.at('a')] }]);
});

test('a workspace takes its servers along under its own calls', async () => {
  const [one] = await openWorkspaces('a');
  using call = await borrow(one!);
  await giveRoots(one!, home.at('b'));
  using next = await borrow(one!);
  expect(next.servers).toBe(call.servers);
});

test('unfollow() does not wait for calls of the workspace, wherever they are', async () => {
  const [one] = await openWorkspaces('a');
  using early = await borrow(one!);
  using lease = shared.lease(one!.scope().roots, 'ann');
  await giveRoots(one!, home.at('b'));
  using late = await borrow(one!);
  expect(late.servers).not.toBe(early.servers);
  lease.dispose();
  await shared.unfollow(one!);
  await eventually(() => expect(shared.groups).toBe(0));
});

test('a lease under which nothing was started leaves nothing behind', async () => {
  const lease = shared.lease(await rootsAt('a'), undefined);
  expect(lease.servers.status()).toEqual([]);
  lease.dispose();
  await eventually(() => expect(shared.groups).toBe(0));
});

test('nothing is started after dispose()', async () => {
  const [one] = await openWorkspaces('a');
  const lease = shared.lease(await rootsAt('a'), undefined);
  await shared.dispose();
  lease.dispose();
  const refusal = { code: 'disposed' };
  await expect(borrow(one!)).rejects.toMatchObject(refusal);
  await expect(async () => shared.lease(one!.scope().roots, 'ann')).rejects.toMatchObject(refusal);
  expect(shared.groups).toBe(0);
});
