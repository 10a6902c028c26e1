import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findDenied } from '../../src/plan/find-denied.js';
import { installationOf } from '../../src/host/runtimes.js';

let base: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'rootward-denied-'));
  mkdirSync(join(base, 'a/secret/deep'), { recursive: true });
  for (const name of ['a/open.txt', 'a/key.pem', 'a/secret/deep/x']) writeFileSync(join(base, name), '');
  mkdirSync(join(base, 'tool/bin'), { recursive: true });
  mkdirSync(join(base, 'tool/lib'), { recursive: true });
  mkdirSync(join(base, 'home/bin'), { recursive: true });
  mkdirSync(join(base, 'home/lib'), { recursive: true });
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

describe('findDenied()', () => {
  test('finds files and whole folders, and does not look into those', async () => {
    const root = { path: join(base, 'a'), kind: 'directory', access: 'read-write', broad: false } as const;
    const looked: string[] = [];
    const denied = await findDenied([root], (path) => {
      looked.push(path);
      return path.endsWith('.pem') || path.endsWith('secret');
    });
    expect(denied.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
      { path: join(base, 'a/key.pem'), kind: 'file', why: 'rule' },
      { path: join(base, 'a/secret'), kind: 'directory', why: 'rule' },
    ]);
    expect(looked).not.toContain(join(base, 'a/secret/deep'));
  });

  test('ends when it is told to', async () => {
    const root = { path: join(base, 'a'), kind: 'directory', access: 'read-write', broad: false } as const;
    await expect(findDenied([root], () => false, AbortSignal.abort())).rejects.toThrow('aborted');
  });
});

describe('installationOf()', () => {
  test('is the installation around a folder of programs', () => {
    expect(installationOf(join(base, 'tool/bin/x'), '/home/ada')).toEqual([join(base, 'tool')]);
  });

  test('is never the home directory, or above it', () => {
    expect(installationOf(join(base, 'home/bin/x'), join(base, 'home'))).toEqual([join(base, 'home/bin')]);
    expect(installationOf(join(base, 'home/x'), join(base, 'home'))).toEqual([]);
  });

  test('is all packages for a script in one of them', () => {
    expect(installationOf('/opt/x/node_modules/a/node_modules/b/c.js', '/home/ada')).toEqual([
      '/opt/x/node_modules',
    ]);
  });
});
