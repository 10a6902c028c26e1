import { describe, expect, test } from 'vitest';
import { connect, connectAsked, isSettled, makeTree, pathsOf } from '../scripted-client.js';

describe('notifications', () => {
  test('5,000 in one tick give at most 2 requests, and the final state is the last list of the client', async () => {
    const tree = makeTree('early', 'last');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([]);
    await clock.advanceAndSettle(1_000);
    for (let count = 0; count < 5_000; count += 1) workspace.rootsChanged();
    expect(client.asked).toBe(2);
    await client.answer([tree('early')]);
    const call = workspace.ready();
    await clock.advanceAndSettle(100);
    expect(client.asked).toBe(3);
    await client.answer([tree('last')]);
    expect((await call).roots.map((root) => root.path)).toEqual([tree('last')]);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(3);
    expect(workspace.stats().notifications).toEqual({ received: 5_000, coalesced: 4_998 });
  });

  test('one during a request leads to exactly one more', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    workspace.rootsChanged();
    expect(client.asked).toBe(1);
    await client.answer([tree('a')]);
    expect(client.asked).toBe(2);
    await client.answer([tree('b')]);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(2);
    expect(pathsOf(workspace)).toEqual([tree('b')]);
  });

  test('the first after quiet goes at once, and ready() waits for a postponed one', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([]);
    workspace.rootsChanged();
    expect(client.asked).toBe(2);
    await client.answer([tree('a')]);
    await clock.advanceAndSettle(40);
    workspace.rootsChanged();
    expect(client.asked).toBe(2);
    const call = workspace.ready();
    await clock.advanceAndSettle(59);
    expect(client.asked).toBe(2);
    await clock.advanceAndSettle(1);
    expect(client.asked).toBe(3);
    expect(await isSettled(call)).toBe(false);
    await client.answer([tree('b')]);
    expect((await call).roots[0]?.path).toBe(tree('b'));
  });

  test('a call that is let go while a request is postponed does not make the client count as silent', async () => {
    const { workspace, client, clock } = await connectAsked({ limits: { readyTimeout: 50 } });
    await client.answer([]);
    workspace.rootsChanged();
    await client.answer([]);
    workspace.rootsChanged();
    const call = workspace.ready();
    await clock.advanceAndSettle(50);
    expect(await isSettled(call)).toBe(true);
    expect(client.asked).toBe(2);
    expect(await isSettled(workspace.ready())).toBe(false);
    await clock.advanceAndSettle(50);
    expect(client.asked).toBe(3);
    await client.answer([]);
  });

  test('snapshot() serves the previous roots while a refresh is out', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    workspace.rootsChanged();
    expect(pathsOf(workspace)).toEqual([tree('a')]);
    expect(await isSettled(workspace.ready())).toBe(false);
  });

  test('one is honoured although listChanged was not advertised', async () => {
    const { workspace, client } = await connect();
    workspace.clientDeclared({ roots: true, listChanged: false });
    workspace.clientReady();
    await client.answer([]);
    workspace.rootsChanged();
    expect(client.asked).toBe(2);
  });
});
