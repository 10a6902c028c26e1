import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { connect, connectAsked, isSettled, makeTree, type Connection } from '../scripted-client.js';

const { readyTimeout } = defaultLimits;

describe('before the first answer', () => {
  test('a client that declared no roots is not asked and nobody waits for it', async () => {
    const { workspace, client } = await connect();
    workspace.clientDeclared({ roots: false });
    workspace.clientReady();
    expect((await workspace.ready()).client).toBe('unsupported');
    workspace.rootsChanged();
    await workspace.ready();
    expect(client.asked).toBe(0);
  });

  test('a declared client is asked at once after it is ready, with or without listChanged', async () => {
    const { workspace, client } = await connect();
    workspace.clientDeclared({ roots: true });
    expect(client.asked).toBe(0);
    workspace.clientReady();
    expect(client.asked).toBe(1);
    expect(workspace.snapshot().client).toBe('pending');
  });

  test('a call before the client is ready waits for it within the same readyTimeout, and nothing is asked earlier', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connect();
    workspace.clientDeclared({ roots: true });
    const call = workspace.ready();
    await clock.advanceAndSettle(readyTimeout / 2);
    expect(client.asked).toBe(0);
    expect(await isSettled(call)).toBe(false);
    workspace.clientReady();
    await client.answer([tree('a')]);
    expect((await call).roots.map((root) => root.path)).toEqual([tree('a')]);
  });

  test('a call before the client is ready goes on after readyTimeout, and the next one does not wait', async () => {
    const { workspace, client, clock } = await connect();
    const call = workspace.ready();
    await clock.advanceAndSettle(readyTimeout - 1);
    expect(await isSettled(call)).toBe(false);
    await clock.advanceAndSettle(1);
    expect(await isSettled(call)).toBe(true);
    expect(await isSettled(workspace.ready())).toBe(true);
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    expect(client.asked).toBe(1);
  });

  test.each([
    ['is ready', (one: Connection) => one.workspace.clientReady()],
    ['announces a change', (one: Connection) => one.workspace.rootsChanged()],
  ])('after a wait in vain for the client to be ready, calls wait again once it %s', async (_, speak) => {
    const connection = await connect();
    const { workspace, clock } = connection;
    workspace.clientDeclared({ roots: true });
    void workspace.ready();
    await clock.advanceAndSettle(readyTimeout);
    expect(await isSettled(workspace.ready())).toBe(true);
    speak(connection);
    const call = workspace.ready();
    expect(await isSettled(call)).toBe(false);
    await clock.advanceAndSettle(readyTimeout);
    expect(await isSettled(call)).toBe(true);
  });

  test('a call under way gets the answer as soon as it is applied', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    const call = workspace.ready();
    expect(await isSettled(call)).toBe(false);
    await client.answer([tree('a')]);
    const snapshot = await call;
    expect(snapshot).toBe(workspace.snapshot());
    expect(snapshot.client).toBe('answered');
  });

  test('ready() rejects with the reason of an aborted signal, before and while waiting', async () => {
    const { workspace } = await connectAsked();
    const reason = new Error('cancelled by the user');
    await expect(workspace.ready({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const call = workspace.ready({ signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});
