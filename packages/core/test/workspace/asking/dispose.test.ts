import { describe, expect, test } from 'vitest';
import { settle } from '../../../../../testing/fake-clock.js';
import { Deferred } from '../../../src/platform/async.js';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { connectAsked, makeTree, pathsOf } from '../scripted-client.js';

const { askSilentAfter } = defaultLimits;

describe('dispose()', () => {
  test('with a request out it settles everything and leaves no timer', async () => {
    const { workspace, client, clock } = await connectAsked();
    const calls = [workspace.ready(), workspace.ready({ signal: new AbortController().signal })];
    workspace.rootsChanged();
    expect(clock.timers).toBe(1);
    workspace.dispose();
    expect(clock.timers).toBe(0);
    expect(client.calls[0]?.signal.aborted).toBe(true);
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'disposed' });
    await expect(workspace.ready()).rejects.toMatchObject({ code: 'disposed' });
  });

  test('nothing happens afterwards, and disposing twice is harmless', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    const changes: unknown[] = [];
    workspace.onDidChange((change) => changes.push(change));
    workspace[Symbol.dispose]();
    workspace.dispose();
    await client.answer([tree('a')]);
    workspace.rootsChanged();
    workspace.clientReady();
    await clock.advanceAndSettle(askSilentAfter * 2);
    expect(client.asked).toBe(1);
    expect(changes).toEqual([]);
    expect(pathsOf(workspace)).toEqual([]);
  });

  test('in a listener it holds back the request that was due after that change', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    workspace.rootsChanged();
    workspace.onDidChange(() => workspace.dispose());
    await client.answer([tree('a')]);
    expect(client.asked).toBe(1);
    expect(clock.timers).toBe(0);
  });

  test('an answer that is being looked up on the disk is dropped', async () => {
    const tree = makeTree('a');
    const gate = new Deferred();
    const { workspace, client, clock } = await connectAsked({
      disk: {
        realpath: (path) => (path === tree('a') ? gate.promise.then(() => path) : Promise.resolve(path)),
        inspect: () => 'directory',
      },
    });
    await client.answer([tree('a')]);
    workspace.dispose();
    gate.resolve();
    await settle();
    expect(pathsOf(workspace)).toEqual([]);
    expect(clock.timers).toBe(0);
  });

  test('a workspace at rest has no timer', async () => {
    const tree = makeTree('a');
    const { client, clock } = await connectAsked();
    await client.answer([tree('a')]);
    expect(clock.timers).toBe(0);
  });
});
