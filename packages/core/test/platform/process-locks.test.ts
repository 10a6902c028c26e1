import { spawnSync } from 'node:child_process';
import {
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../testing/temporary-folders.js';
import { neighbourhood, thisProcess } from '../../src/platform/process-identity.js';
import { ProcessLocks } from '../../src/platform/process-locks.js';

const { folder } = temporaryFolder('locks');

/** A signature as another process would write it. */
function signed(by: { pid?: number; start?: string; at?: string } = {}): string {
  const { pid, start } = thisProcess();
  return `${by.at ?? neighbourhood()}-${by.pid ?? pid}-${by.start ?? start}-0123456789ab`;
}

/** The number of a process that has been and is no more. */
function deadProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid;
}

function counting() {
  let inside = 0;
  return async (): Promise<void> => {
    expect(++inside).toBe(1);
    await new Promise(setImmediate);
    inside--;
  };
}

describe('ProcessLocks.hold()', () => {
  test('runs tasks of several objects one after the other, and leaves nothing behind', async () => {
    const directory = join(folder('one'), 'made', 'when needed');
    const locks = [new ProcessLocks(directory), new ProcessLocks(directory)];
    const task = counting();
    const done = await Promise.allSettled(
      [0, 1, 2, 3, 4, 5].map((index) =>
        locks[index % 2]!.hold(['a'], async () => {
          await task();
          if (index === 1) throw new Error('failed on purpose');
        }),
      ),
    );
    expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('holds several names at once, in whatever order they are given', async () => {
    const locks = [new ProcessLocks(folder('two')), new ProcessLocks(folder('two'))];
    const task = counting();
    await Promise.all([
      locks[0]!.hold(['a', 'b', 'a'], task),
      locks[1]!.hold(['b', 'a'], task),
      locks[0]!.hold(['b', 'c'], task),
    ]);
    expect(readdirSync(folder('two'))).toEqual([]);
  });

  test.runIf(process.platform === 'linux').each([
    ['is gone', () => signed({ pid: deadProcess() })],
    ['had the number of another one', () => signed({ start: '1' })],
  ])('takes over from a process that %s, and only one of many does', async (_, owner) => {
    const directory = folder(_);
    symlinkSync(owner(), join(directory, 'a'));
    // Another one died while it cleared up after it.
    symlinkSync(
      signed({ pid: deadProcess() }),
      join(directory, `clearing-${readlinkSync(join(directory, 'a'))}`),
    );
    const task = counting();
    await Promise.all(Array.from({ length: 5 }, () => new ProcessLocks(directory).hold(['a'], task)));
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each([
    ['of a process that lives', () => signed()],
    ['of another machine', () => signed({ at: '0123456789ab' })],
  ])('gives up on a lock %s, and leaves it', async (_, owner) => {
    const directory = folder(`held ${_}`);
    symlinkSync(owner(), join(directory, 'a'));
    const waiting = new ProcessLocks(directory).hold(['a'], () => undefined, { patience: 0 });
    await expect(waiting).rejects.toMatchObject({ code: 'ELOCKED' });
    expect(readdirSync(directory)).toEqual(['a']);
  });

  test.each(['a link', 'a file', 'a folder'])(
    'takes over %s of long ago that no process signed',
    async (kind) => {
      const directory = folder(`unsigned ${kind}`);
      const lock = join(directory, 'a');
      if (kind === 'a link') symlinkSync(signed({ at: '0123456789ab' }), lock);
      else if (kind === 'a file') writeFileSync(lock, '');
      else mkdirSync(lock);
      lutimesSync(lock, new Date(1000), new Date(1000));
      await new ProcessLocks(directory).hold(['a'], () =>
        expect(lstatSync(lock).isSymbolicLink()).toBe(true),
      );
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  test('leaves the lock of another process alone where its own was removed', async () => {
    const directory = folder('removed');
    await new ProcessLocks(directory).hold(['a'], () => {
      rmSync(join(directory, 'a'));
      symlinkSync(signed(), join(directory, 'a'));
    });
    expect(readdirSync(directory)).toEqual(['a']);
  });

  test('stops waiting when told to, and those behind it still wait for those before it', async () => {
    const locks = new ProcessLocks(folder('aborted'));
    const order: string[] = [];
    const leaving = new AbortController();
    const first = locks.hold(['a'], async () => {
      leaving.abort();
      await new Promise(setImmediate);
      order.push('first');
    });
    const second = locks.hold(['a'], () => order.push('second'), { signal: leaving.signal });
    const third = locks.hold(['a'], () => order.push('third'));
    await expect(second).rejects.toThrow('aborted');
    await Promise.all([first, third]);
    expect(order).toEqual(['first', 'third']);
  });

  test('excludes only its own tasks where no lock can be made', async () => {
    const file = join(folder('no folder'), 'file');
    writeFileSync(file, '');
    for (const locks of [new ProcessLocks(() => undefined), new ProcessLocks(file)]) {
      const task = counting();
      await Promise.all([locks.hold(['a'], task), locks.hold(['a'], task)]);
    }
  });
});

test('ProcessLocks.tryTake() takes what nobody holds', () => {
  const directory = folder('at once');
  const [one, two] = [new ProcessLocks(directory), new ProcessLocks(directory)];
  const taken = one.tryTake('a');
  expect([one.tryTake('a'), two.tryTake('a')]).toEqual([undefined, undefined]);
  taken?.dispose();
  two.tryTake('a')?.dispose();
  expect(readdirSync(directory)).toEqual([]);
});
