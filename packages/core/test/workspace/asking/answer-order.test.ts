import { describe, expect, test } from 'vitest';
import { settle } from '../../../../../testing/fake-clock.js';
import { readRoots } from '../../../src/roots/read-roots.js';
import { Deferred } from '../../../src/platform/async.js';
import { defaultLimits } from '../../../src/workspace/limits.js';
import { connectAsked, keptAnswer, makeTree, pathsOf, promptDisk } from '../scripted-client.js';

const { readyTimeout } = defaultLimits;

describe('order of answers', () => {
  test('the slower, older answer never overwrites the newer one', async () => {
    const tree = makeTree('old', 'new');
    const { workspace, client, clock } = await connectAsked();
    await clock.advanceAndSettle(readyTimeout);
    workspace.rootsChanged();
    await client.answer([tree('new')], 2);
    await client.answer([tree('old')], 1);
    expect(pathsOf(workspace)).toEqual([tree('new')]);
  });

  test('a lookup on the disk that ends late does not overwrite a newer answer', async () => {
    const tree = makeTree('slow', 'fast');
    const lookups: { path: string; finish: () => void }[] = [];
    const { workspace, client, clock } = await connectAsked({
      disk: {
        realpath: (path) =>
          path.includes('slow')
            ? new Promise((resolve) => {
                lookups.push({ path, finish: () => resolve(path) });
              })
            : Promise.resolve(path),
        inspect: () => 'directory',
      },
    });
    await client.answer([tree('slow')], 1);
    await clock.advanceAndSettle(readyTimeout);
    workspace.rootsChanged();
    await client.answer([tree('fast')], 2);
    expect(pathsOf(workspace)).toEqual([tree('fast')]);
    for (const { finish } of lookups) finish();
    await settle();
    expect(lookups.length).toBeGreaterThan(0);
    expect(pathsOf(workspace)).toEqual([tree('fast')]);
  });
});

describe('a reader of its own', () => {
  test('one that fails keeps the previous roots, and the answer counts as malformed', async () => {
    const tree = makeTree('a', 'b');
    let broken = false;
    const { workspace, client } = await connectAsked({
      readClientRoots: (entries, options) =>
        broken ? Promise.reject(new Error('disk on fire')) : readRoots(entries, options),
    });
    await client.answer([tree('a')]);
    broken = true;
    workspace.rootsChanged();
    const call = workspace.ready();
    await client.answer([tree('b')]);
    expect((await call).client).toBe('malformed');
    expect(pathsOf(workspace)).toEqual([tree('a')]);
    expect(workspace.stats().failures.unreadable).toBe(1);
  });

  test('one that does not mind being aborted cannot bring an older answer back', async () => {
    const tree = makeTree('slow', 'fast');
    const gate = new Deferred();
    const { workspace, client, clock } = await connectAsked({
      async readClientRoots(entries, options) {
        const list = await readRoots(entries, {
          source: options.source,
          home: options.home,
          disk: promptDisk,
        });
        if (JSON.stringify(entries).includes('slow')) await gate.promise;
        return list;
      },
    });
    await client.answer([tree('slow')]);
    await clock.advanceAndSettle(readyTimeout);
    workspace.rootsChanged();
    await client.answer([tree('fast')]);
    expect(pathsOf(workspace)).toEqual([tree('fast')]);
    gate.resolve();
    await settle();
    expect(pathsOf(workspace)).toEqual([tree('fast')]);
  });
});

describe('an answer that was kept', () => {
  test('while a change is announced keeps the request that was due after it from being sent', async () => {
    const tree = makeTree('asked', 'handed');
    const { workspace, client, clock } = await connectAsked();
    const kept = keptAnswer(tree('handed'));
    const listening = workspace.onDidChange(() => {
      listening.dispose();
      void workspace.restore(kept);
    });
    workspace.rootsChanged();
    await client.answer([tree('asked')]);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(1);
    expect(pathsOf(workspace)).toEqual([tree('handed')]);
  });

  test('aborts the request that is out and makes the one that is due needless', async () => {
    const tree = makeTree('handed', 'asked');
    const { workspace, client, clock } = await connectAsked();
    workspace.rootsChanged();
    await workspace.restore(keptAnswer(tree('handed')));
    expect(client.calls[0]?.signal.aborted).toBe(true);
    await client.answer([tree('asked')]);
    await clock.advanceAndSettle(10_000);
    expect(client.asked).toBe(1);
    expect(pathsOf(workspace)).toEqual([tree('handed')]);
  });
});
