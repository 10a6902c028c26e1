import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readPathRoots, Scope } from '@rootward/core';
import { GIT_PLACES, STEERING_PLACES } from '@rootward/core/platform';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLimits } from '../../src/sandbox/find-limits.js';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-limits-')));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test('findLimits() fixes every file that steers the fence, and leaves the others alone', async () => {
  const steering = STEERING_PLACES.map(({ path }) => path).filter(
    (path) => path !== '.git' && !path.includes('*'),
  );
  const names = [...steering, ...GIT_PLACES.map(({ path }) => `.git/${path}`)];
  for (const name of [...names, '.git/HEAD', 'README.md', 'tools/hello']) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    if (!existsSync(join(root, name))) writeFileSync(join(root, name), '{}');
  }
  const { roots } = await readPathRoots([{ path: root }], { source: 'flag', home: '/nowhere' });
  const { fixed } = await findLimits(new Scope({ roots }), { denies: false, places: [] });
  expect(fixed.toSorted()).toEqual(names.map((name) => join(root, name)).toSorted());
});

test('findLimits() tells what rules make read-only from what steers the fence, by its topmost folder', async () => {
  mkdirSync(join(root, 'notes', 'deep'), { recursive: true });
  for (const name of ['notes/deep/a.txt', 'open.txt']) writeFileSync(join(root, name), '');
  const rules = join(root, 'notes', '.rootward.json');
  writeFileSync(rules, JSON.stringify({ readOnly: true }));
  const { roots } = await readPathRoots([{ path: root }], { source: 'flag', home: '/nowhere' });
  const limits = await findLimits(new Scope({ roots }), { denies: false, places: [] });
  expect(limits).toEqual({ denied: [], fixed: [], locked: [join(root, 'notes')] });
});

test('findLimits() finds a root that is read-only by a rule in a folder above it', async () => {
  for (const name of ['.git', 'sub']) mkdirSync(join(root, name));
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main');
  writeFileSync(join(root, '.rootward.json'), JSON.stringify({ readOnly: true }));
  writeFileSync(join(root, 'sub', 'a.txt'), '');
  const path = join(root, 'sub');
  const { roots } = await readPathRoots([{ path }], { source: 'flag', home: '/nowhere' });
  expect((await findLimits(new Scope({ roots }), { denies: false, places: [] })).locked).toEqual([path]);
});
