import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { withFileLock } from '../../src/guidance/file-lock.js';
import { makeTree } from '../fixtures/temp-tree.js';

const tree = makeTree();

/** The number of a process that has been and is no more. */
function deadProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

describe('withFileLock()', () => {
  test('runs tasks one after the other, and leaves nothing behind, also when one fails', async () => {
    const lock = tree.path('one', 'lock');
    tree.add({ 'one/': '' });
    let inside = 0;
    const task = async (index: number): Promise<number> => {
      expect(++inside).toBe(1);
      await Promise.resolve();
      inside--;
      if (index === 1) throw new Error('failed on purpose');
      return index;
    };
    const done = await Promise.allSettled([0, 1, 2, 3].map((index) => withFileLock(lock, () => task(index))));
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(readdirSync(tree.path('one'))).toEqual([]);
  });

  test('takes over from a process that is gone, and only one of many does', async () => {
    tree.add({ 'two/': '' });
    const lock = tree.path('two', 'lock');
    writeFileSync(lock, JSON.stringify({ pid: deadProcess(), host: hostname() }));
    let inside = 0;
    const task = async (): Promise<void> => {
      expect(++inside).toBe(1);
      await Promise.resolve();
      inside--;
    };
    await Promise.all(Array.from({ length: 5 }, () => withFileLock(lock, task)));
    expect(readdirSync(tree.path('two'))).toEqual([]);
  });

  test.each([
    ['a process that lives', { pid: process.pid, host: hostname() }],
    ['another machine', { pid: 1, host: 'elsewhere' }],
    ['nobody that can be told', 'nonsense'],
  ])('gives up on a lock of %s, names the file and leaves it', async (_, holder) => {
    const lock = tree.path(`held by ${_}`);
    writeFileSync(lock, JSON.stringify(holder));
    const waiting = withFileLock(lock, () => Promise.resolve(), { patience: 0 });
    await expect(waiting).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining(lock),
    });
    expect(existsSync(lock)).toBe(true);
  });

  test('takes over what was never signed, but not what may be signed this moment', async () => {
    const lock = tree.path('unsigned');
    writeFileSync(lock, '');
    await expect(withFileLock(lock, () => Promise.resolve(), { patience: 0 })).rejects.toThrow(
      'another process',
    );
    const before = new Date(Date.now() - 60_000);
    utimesSync(lock, before, before);
    expect(await withFileLock(lock, () => Promise.resolve('mine'))).toBe('mine');
    expect(existsSync(lock)).toBe(false);
  });

  test('stops waiting when told to', async () => {
    const lock = tree.path('aborted');
    writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname() }));
    const waiting = withFileLock(lock, () => Promise.resolve(), { signal: AbortSignal.abort() });
    await expect(waiting).rejects.toThrow('aborted');
  });
});
