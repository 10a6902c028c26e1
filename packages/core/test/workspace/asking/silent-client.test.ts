import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { connectAsked, isSettled, makeTree, pathsOf } from '../scripted-client.js';

const { readyTimeout, answerTimeout, askSilentAfter } = defaultLimits;

describe('a silent client', () => {
  test('a call waits at most the ready timeout once, then never again until the client speaks', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    const first = workspace.ready();
    await clock.advanceAndSettle(readyTimeout - 1);
    expect(await isSettled(first)).toBe(false);
    await clock.advanceAndSettle(1);
    expect((await first).client).toBe('silent');
    expect(await isSettled(workspace.ready())).toBe(true);
    await clock.advanceAndSettle(askSilentAfter + readyTimeout);
    expect(await isSettled(workspace.ready())).toBe(true);

    workspace.rootsChanged();
    const afterSpeaking = workspace.ready();
    expect(await isSettled(afterSpeaking)).toBe(false);
    await client.answer([tree('a')]);
    expect((await afterSpeaking).roots).toHaveLength(1);
  });

  test('a call that comes late in the life of a request waits only for what is left', async () => {
    const { workspace, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout - 100);
    const call = workspace.ready();
    await clock.advanceAndSettle(99);
    expect(await isSettled(call)).toBe(false);
    await clock.advanceAndSettle(1);
    expect(await isSettled(call)).toBe(true);
  });

  test('an answer after the ready timeout still applies', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout + 30_000);
    expect(workspace.snapshot().client).toBe('silent');
    await client.answer([tree('a')]);
    expect(pathsOf(workspace)).toEqual([tree('a')]);
    expect(workspace.snapshot().client).toBe('answered');
  });

  test('a late answer that gives nothing ends the silence all the same', async () => {
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout);
    await client.result(null);
    workspace.invalidate('retry');
    const call = workspace.ready();
    expect(client.asked).toBe(2);
    expect(await isSettled(call)).toBe(false);
    await client.answer([]);
    await call;
  });

  test('an answer after the answer timeout is dropped, and the request was aborted', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(answerTimeout);
    expect(client.calls[0]?.signal.aborted).toBe(true);
    await client.answer([tree('a')]);
    expect(pathsOf(workspace)).toEqual([]);
  });

  test('it is asked again after 5 minutes, without anyone waiting', async () => {
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(askSilentAfter - 1);
    expect(client.asked).toBe(1);
    await clock.advanceAndSettle(1);
    expect(client.asked).toBe(2);
    expect(await isSettled(workspace.ready())).toBe(true);
    await clock.advanceAndSettle(askSilentAfter);
    expect(client.asked).toBe(3);
  });

  test('a silent request older than the ready timeout does not hold back a newer one, and its answer is dropped then', async () => {
    const tree = makeTree('old', 'new');
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout);
    workspace.rootsChanged();
    expect(client.asked).toBe(2);
    expect(client.calls[0]?.signal.aborted).toBe(true);
    await client.answer([tree('old')], 1);
    expect(pathsOf(workspace)).toEqual([]);
    await client.answer([tree('new')], 2);
    expect(pathsOf(workspace)).toEqual([tree('new')]);
  });

  test('a notification during a silent request goes out when that request is older than the ready timeout', async () => {
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout / 2);
    workspace.rootsChanged();
    expect(client.asked).toBe(1);
    const call = workspace.ready();
    await clock.advanceAndSettle(readyTimeout / 2);
    expect(client.asked).toBe(2);
    expect(await isSettled(call)).toBe(false);
  });
});
