import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scope } from '@rootward/core';
import { expect, onTestFinished, test } from 'vitest';
import { rootAt } from '../history/fixtures/disk.js';

function start(access: 'read-write' | 'read-only' = 'read-write') {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-lend-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const work = join(top, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'a.txt'), 'inside');
  writeFileSync(join(top, 'secret.txt'), 'outside');
  return { top, work, scope: new Scope({ roots: [rootAt(work, { access })], home: work }) };
}

function use(): never {
  throw new Error('must not be called');
}

const readElsewhere = (path: string): string => execFileSync('cat', [path], { encoding: 'utf8' });

test('lend() gives a path that another process can open', async () => {
  const { work, scope } = start();
  const lent = await scope.lend('a.txt', ({ path, canonical, guarantee }) => {
    expect([canonical, guarantee]).toEqual([join(work, 'a.txt'), scope.guarantee('lend')]);
    return readElsewhere(path);
  });
  expect(lent).toBe('inside');
  expect(await scope.lend('.', ({ path }) => readElsewhere(join(path, 'a.txt')))).toBe('inside');
});

test.runIf(process.platform === 'linux')(
  'a lent path leads to what was checked, whatever takes its name',
  async () => {
    const { top, work, scope } = start();
    const lent = await scope.lend('a.txt', ({ path, guarantee }) => {
      renameSync(join(work, 'a.txt'), join(work, 'b.txt'));
      symlinkSync(join(top, 'secret.txt'), join(work, 'a.txt'));
      return [guarantee, readElsewhere(path)];
    });
    expect(lent).toEqual(['race-free', 'inside']);
  },
);

test('lend() refuses what is out of scope, and changes where nothing may be changed', async () => {
  const { top, scope } = start('read-only');
  await expect(scope.lend(join(top, 'secret.txt'), use)).rejects.toMatchObject({ code: 'outside-roots' });
  await expect(scope.lend('a.txt', use, { access: 'read-write' })).rejects.toMatchObject({
    code: 'read-only',
  });
  await expect(scope.lend('none', use)).rejects.toMatchObject({ code: 'not-found' });
});

test('home says what ~ stands for; without it, ~ is a name like any other', async () => {
  const { work, scope } = start();
  expect((await scope.readText('~/a.txt')).text).toBe('inside');
  expect(scope.locate('~').path).toBe(work);
  const plain = new Scope({ roots: scope.roots });
  expect(plain.locate('~/a.txt')).toMatchObject({ path: join(work, '~/a.txt'), exists: false });
  const elsewhere = new Scope({ roots: scope.roots, home: tmpdir() });
  await expect(elsewhere.readText('~/a.txt')).rejects.toMatchObject({ code: 'outside-roots' });
});
