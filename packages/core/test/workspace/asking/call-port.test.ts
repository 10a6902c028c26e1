import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { ScriptedClient, connect, isSettled, makeTree } from '../scripted-client.js';

const { readyTimeout, askSilentAfter } = defaultLimits;
const METHOD_NOT_FOUND = -32601;

describe('a port that is open during a call only', () => {
  test('nothing is asked outside a call, and a notification only marks the answer as stale', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    expect(await isSettled(workspace.ready())).toBe(true);
    expect(client.asked).toBe(0);

    const call = workspace.ready({ port: client });
    expect(client.asked).toBe(1);
    await client.answer([tree('a')]);
    expect((await call).roots[0]?.path).toBe(tree('a'));

    workspace.rootsChanged();
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(1);
    expect(await isSettled(workspace.ready())).toBe(true);
    const next = workspace.ready({ port: client });
    expect(client.asked).toBe(2);
    await client.answer([tree('b')]);
    expect((await next).roots[0]?.path).toBe(tree('b'));
  });

  test('a call that comes before the client is ready carries the request once it is', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connect({ standing: false });
    const call = workspace.ready({ port: client });
    workspace.clientDeclared({ roots: true });
    expect(client.asked).toBe(0);
    workspace.clientReady();
    expect(client.asked).toBe(1);
    await client.answer([tree('a')]);
    expect((await call).roots).toHaveLength(1);
  });

  test('an early -32601 is retried through the call that still waits', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    await client.error(METHOD_NOT_FOUND);
    await clock.advanceAndSettle(250);
    expect(client.asked).toBe(2);
    await client.answer([tree('a')]);
    expect((await call).roots).toHaveLength(1);
  });

  test('a notification while a call waits is answered through that call', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    workspace.rootsChanged();
    await client.answer([tree('a')]);
    expect(client.asked).toBe(2);
    await client.answer([tree('b')]);
    expect((await call).roots[0]?.path).toBe(tree('b'));
  });

  test('a fresh answer is used without a request', async () => {
    const { workspace, client } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    await client.answer([]);
    await call;
    await workspace.ready({ port: client });
    expect(client.asked).toBe(1);
  });

  test('the port of a call that is over is never used, whether the call waited or not', async () => {
    const { workspace, client, clock } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    await client.answer([]);
    await call;
    await workspace.ready({ port: client });
    workspace.rootsChanged();
    await clock.advanceAndSettle(askSilentAfter);
    expect(client.asked).toBe(1);
  });

  test('of several waiting calls the latest carries a request', async () => {
    const tree = makeTree('a');
    const { workspace, client: first } = await connect({ standing: false });
    const second = new ScriptedClient();
    const calls = [workspace.ready({ port: first }), workspace.ready({ port: second })];
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    expect([first.asked, second.asked]).toEqual([0, 1]);
    await second.answer([tree('a')]);
    for (const call of calls) expect((await call).roots).toHaveLength(1);
  });

  test('when the call that carries the request is cancelled, another waiting call asks again', async () => {
    const tree = makeTree('a');
    const { workspace, client: first } = await connect({ standing: false });
    const second = new ScriptedClient();
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const controller = new AbortController();
    const cancelled = workspace.ready({ port: first, signal: controller.signal });
    const other = workspace.ready({ port: second });
    expect([first.asked, second.asked]).toEqual([1, 0]);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ name: 'AbortError' });
    expect([first.asked, second.asked]).toEqual([1, 1]);
    await second.answer([tree('a')]);
    expect((await other).roots).toHaveLength(1);
  });

  test('a client that never answers stalls one call once, and is asked again in a call after 5 minutes', async () => {
    const { workspace, client, clock } = await connect({ standing: false });
    workspace.clientDeclared({ roots: true });
    workspace.clientReady();
    const call = workspace.ready({ port: client });
    await clock.advanceAndSettle(readyTimeout);
    expect((await call).client).toBe('silent');
    expect(await isSettled(workspace.ready({ port: client }))).toBe(true);
    expect(client.asked).toBe(1);
    await clock.advanceAndSettle(askSilentAfter);
    expect(client.asked).toBe(1);
    expect(await isSettled(workspace.ready({ port: client }))).toBe(true);
    expect(client.asked).toBe(2);
  });
});
