import { describe, expect, onTestFinished, test } from 'vitest';
import { Deferred } from '../../../src/platform/async.js';
import { followWorkingDirectory } from '../../../src/workspace/changes/working-directory.js';
import { settle } from '../../../../../testing/fake-clock.js';
import { changeTo, connectAsked, makeTree } from '../scripted-client.js';

describe('follow()', () => {
  test('followers run one at a time per change and see changes in order', async () => {
    const tree = makeTree('a', 'b', 'c');
    const connection = await connectAsked();
    const log: string[] = [];
    let running = 0;
    const gate = new Deferred();
    for (const name of ['slow', 'fast']) {
      connection.workspace.follow({
        name,
        async apply({ snapshot }) {
          running += 1;
          expect(running).toBe(1);
          if (name === 'slow') await gate.promise;
          log.push(`${name} ${snapshot.epoch}`);
          running -= 1;
        },
      });
    }
    await changeTo(connection, [[tree('a')], [tree('b')], [tree('c')]]);
    expect(log).toEqual([]);
    gate.resolve();
    await connection.workspace.followed();
    expect(log).toEqual(['slow 1', 'fast 1', 'slow 2', 'fast 2', 'slow 3', 'fast 3']);
  });

  test('a failing follower is logged and stops neither the others nor its own next change', async () => {
    const tree = makeTree('a', 'b');
    const warnings: unknown[] = [];
    const connection = await connectAsked({
      log: { debug() {}, info() {}, warn: (_, fields) => warnings.push(fields?.['follower']) },
    });
    const seen: string[] = [];
    connection.workspace.follow({
      name: 'throws',
      apply() {
        seen.push('throws');
        throw new Error('broken');
      },
    });
    connection.workspace.follow({ name: 'rejects', apply: () => Promise.reject(new Error('broken')) });
    connection.workspace.follow({ name: 'works', apply: () => void seen.push('works') });
    await changeTo(connection, [[tree('a')], [tree('b')]]);
    await connection.workspace.followed();
    expect(seen).toEqual(['throws', 'works', 'throws', 'works']);
    expect(warnings).toEqual(['throws', 'rejects', 'throws', 'rejects']);
  });

  test('a newcomer sees the roots that are there first, and no earlier change', async () => {
    const tree = makeTree('a', 'b');
    const connection = await connectAsked();
    await changeTo(connection, [[tree('a')]]);
    const seen: unknown[] = [];
    connection.workspace.follow({
      name: 'newcomer',
      apply: ({ reason, added, removed }) => void seen.push([reason, added.length, removed.length]),
    });
    await changeTo(connection, [[tree('b')]]);
    await connection.workspace.followed();
    expect(seen).toEqual([
      ['start', 1, 0],
      ['answer', 1, 1],
    ]);
  });

  test('one that is let go is no longer waited for, and its signal aborts', async () => {
    const tree = makeTree('a');
    const connection = await connectAsked();
    let aborted = false;
    const hanging = connection.workspace.follow({
      name: 'hangs',
      apply: (_, signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
        }),
    });
    const seen: string[] = [];
    connection.workspace.follow({ name: 'next', apply: () => void seen.push('next') });
    await changeTo(connection, [[tree('a')]]);
    await settle();
    expect(seen).toEqual([]);
    hanging.dispose();
    await connection.workspace.followed();
    expect([aborted, seen]).toEqual([true, ['next']]);
  });

  test('one that lets itself go and then fails leaves no rejection unheard', async () => {
    const tree = makeTree('a', 'b');
    const connection = await connectAsked();
    const unheard: unknown[] = [];
    const listen = (reason: unknown): void => void unheard.push(reason);
    process.on('unhandledRejection', listen);
    onTestFinished(() => void process.off('unhandledRejection', listen));
    let runs = 0;
    const once = connection.workspace.follow({
      name: 'once',
      async apply() {
        runs += 1;
        once.dispose();
        throw new Error('broken');
      },
    });
    await changeTo(connection, [[tree('a')], [tree('b')]]);
    await connection.workspace.followed();
    await settle();
    expect([runs, unheard]).toEqual([1, []]);
  });

  test('one that is let go before its turn does not run any more', async () => {
    const tree = makeTree('a');
    const connection = await connectAsked();
    const gate = new Deferred();
    connection.workspace.follow({ name: 'slow', apply: () => gate.promise });
    let runs = 0;
    const next = connection.workspace.follow({ name: 'next', apply: () => void (runs += 1) });
    await changeTo(connection, [[tree('a')]]);
    next.dispose();
    gate.resolve();
    await connection.workspace.followed();
    expect(runs).toBe(0);
  });

  test('whoever waits for them can stop waiting', async () => {
    const tree = makeTree('a');
    const connection = await connectAsked();
    connection.workspace.follow({ name: 'hangs', apply: () => new Promise(() => {}) });
    await changeTo(connection, [[tree('a')]]);
    const controller = new AbortController();
    const waiting = connection.workspace.followed(controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('a disposed workspace takes none any more', async () => {
    const { workspace } = await connectAsked();
    workspace.dispose();
    expect(() => workspace.follow({ name: 'late', apply() {} })).toThrow(
      expect.objectContaining({ code: 'disposed' }),
    );
  });

  test('each is told once of its end, also when it has seen no change', async () => {
    const { workspace } = await connectAsked();
    const ended: string[] = [];
    const follow = (name: string): { dispose(): void } =>
      workspace.follow({ name, apply() {}, ended: () => void ended.push(name) });
    follow('stays');
    const leaves = follow('leaves');
    leaves.dispose();
    expect(ended).toEqual(['leaves']);
    leaves.dispose();
    workspace.dispose();
    workspace.dispose();
    expect(ended).toEqual(['leaves', 'stays']);
  });

  test('dispose() of the workspace lets all of them go', async () => {
    const tree = makeTree('a');
    const connection = await connectAsked();
    connection.workspace.follow({ name: 'hangs', apply: () => new Promise(() => {}) });
    await changeTo(connection, [[tree('a')]]);
    connection.workspace.dispose();
    await connection.workspace.followed();
    expect(connection.clock.timers).toBe(0);
  });
});

describe('followWorkingDirectory()', () => {
  test('moves to the first directory root and stays where it was when there is none', async () => {
    const tree = makeTree('a', 'b');
    const connection = await connectAsked();
    const moves: string[] = [];
    connection.workspace.follow(followWorkingDirectory((directory) => moves.push(directory)));
    await changeTo(connection, [[tree('a')], [tree('a'), tree('b')], [], [tree('b'), tree('a')]]);
    await connection.workspace.followed();
    expect(moves).toEqual([tree('a'), tree('b')]);
  });

  test('tries again with the next change when a move failed', async () => {
    const tree = makeTree('a', 'b');
    const connection = await connectAsked();
    const moves: string[] = [];
    let broken = true;
    connection.workspace.follow(
      followWorkingDirectory((directory) => {
        if (broken) throw new Error('gone');
        moves.push(directory);
      }),
    );
    await changeTo(connection, [[tree('a')]]);
    await connection.workspace.followed();
    broken = false;
    await changeTo(connection, [[tree('a'), tree('b')]]);
    await connection.workspace.followed();
    expect(moves).toEqual([tree('a')]);
  });
});
