import { describe, expect, test } from 'vitest';
import { settle } from '../../../../../testing/fake-clock.js';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { connectSlowly, isSettled, keptAnswer, pathsOf } from '../scripted-client.js';

const { readyTimeout, answerTimeout } = defaultLimits;

describe('a disk that is slow', () => {
  test('makes a call wait no longer than readyTimeout, is no silence, and its roots count when it is done', async () => {
    const { workspace, client, clock, gate, path } = await connectSlowly();
    const call = workspace.ready();
    await client.answer([path]);
    await clock.advanceAndSettle(readyTimeout - 1);
    expect(await isSettled(call)).toBe(false);
    await clock.advanceAndSettle(1);
    expect(await isSettled(call)).toBe(true);
    expect(workspace.stats().failures.silent).toBe(0);
    expect(await isSettled(workspace.ready())).toBe(true);
    expect(client.asked).toBe(1);
    gate.resolve();
    await settle();
    expect(pathsOf(workspace)).toEqual([path]);
  });

  test('that never ends is given up after answerTimeout, and told of', async () => {
    const { workspace, client, clock, path } = await connectSlowly();
    await client.answer([path]);
    await clock.advanceAndSettle(answerTimeout);
    expect(workspace.snapshot().client).toBe('malformed');
    expect(workspace.stats().failures.unreadable).toBe(1);
    expect(clock.timers).toBe(0);
  });
});

test('restore() of a workspace can be aborted while its roots are looked up', async () => {
  const { workspace, path } = await connectSlowly();
  const controller = new AbortController();
  const restoring = workspace.restore(keptAnswer(path), { signal: controller.signal });
  controller.abort();
  await expect(restoring).rejects.toMatchObject({ name: 'AbortError' });
});

test('a workspace disposed while it is restored takes no roots', async () => {
  const { workspace, gate, path } = await connectSlowly();
  const restoring = workspace.restore(keptAnswer(path));
  workspace.dispose();
  gate.resolve();
  await expect(restoring).rejects.toMatchObject({ code: 'disposed' });
  expect(pathsOf(workspace)).toEqual([]);
});
