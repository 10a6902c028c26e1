import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPathRoots, Scope } from '@rootward/core';
import { STEERING_PLACES } from '@rootward/core/platform';
import { SteeringFinder } from '@rootward/sandbox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLimits } from '../../src/sandbox/find-limits.js';

const STEERING = STEERING_PLACES.map(({ path }) => path);
const FINDER = new SteeringFinder(STEERING, { launcher: undefined });
const OPTIONS = { denies: false, places: [], finder: FINDER };

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-limits-')));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test('findLimits() fixes everything that steers programs, at any depth, and leaves the rest alone', async () => {
  const names = STEERING.map((path) => path.replace('*', 'any'));
  for (const name of names) mkdirSync(join(root, 'deep', name), { recursive: true });
  for (const name of ['.git', 'open', 'tools/hello']) mkdirSync(join(root, name), { recursive: true });
  const { roots } = await readPathRoots([{ path: root }], { source: 'flag', home: '/nowhere' });
  const { fixed } = await findLimits(new Scope({ roots }), OPTIONS);
  const outer = names.filter((name) => !names.some((other) => name.startsWith(`${other}/`)));
  const expected = ['.git', ...outer.map((name) => join('deep', name))];
  expect(fixed.toSorted()).toEqual(expected.map((name) => join(root, name)).toSorted());
});

test('findLimits() fixes the folder of a link that steers', async () => {
  mkdirSync(join(root, 'sub'));
  symlinkSync('/nowhere', join(root, 'sub', '.mcp.json'));
  symlinkSync('/nowhere', join(root, 'sub', 'shell'));
  const { roots } = await readPathRoots([{ path: root }], { source: 'flag', home: '/nowhere' });
  const place = { where: 'at', path: join(root, 'sub', 'shell'), protection: 'fixed' } as const;
  const places = [{ ...place, kind: 'steering', reason: 'a shell runs it', unlessNamed: true }] as const;
  const { fixed } = await findLimits(new Scope({ roots }), { ...OPTIONS, places });
  expect(fixed).toEqual([join(root, 'sub')]);
});

test('findLimits() fixes every link on the way from a link that steers, and what it leads to in a root', async () => {
  for (const name of ['a', 'links', 'docs/x', 'b']) mkdirSync(join(root, name), { recursive: true });
  symlinkSync('../links/x', join(root, 'a', '.vscode'));
  symlinkSync('../docs/x', join(root, 'links', 'x'));
  symlinkSync('../docs/missing/deep', join(root, 'b', '.claude'));
  const { roots } = await readPathRoots([{ path: root }], { source: 'flag', home: '/nowhere' });
  const { fixed } = await findLimits(new Scope({ roots }), OPTIONS);
  expect(fixed.toSorted()).toEqual(['a', 'b', 'docs', 'docs/x', 'links'].map((name) => join(root, name)));
});

test('findLimits() denies a root whose rules cannot be read, as a whole', async () => {
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, '.rootward.json'), '{');
  const { roots } = await readPathRoots([{ path: root }], { source: 'flag', home: '/nowhere' });
  const { denied } = await findLimits(new Scope({ roots }), OPTIONS);
  expect(denied).toEqual([{ path: root, kind: 'directory', why: 'rule' }]);
});

test('findLimits() hides what Rootward keeps in a root, and makes it if it is missing', async () => {
  const path = join(root, 'state', 'rootward');
  const place = { where: 'at', path, protection: 'hidden', kind: 'kept' } as const;
  const places = [{ ...place, reason: 'it is ours', unlessNamed: false }] as const;
  const { roots } = await readPathRoots([{ path: root }], { source: 'flag', home: '/nowhere' });
  const { denied } = await findLimits(new Scope({ roots }), { ...OPTIONS, places });
  expect(denied).toEqual([{ path, kind: 'directory', why: 'kept' }]);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('findLimits() tells what rules make read-only from what steers the fence, by its topmost folder', async () => {
  mkdirSync(join(root, 'notes', 'deep'), { recursive: true });
  for (const name of ['notes/deep/a.txt', 'open.txt']) writeFileSync(join(root, name), '');
  const rules = join(root, 'notes', '.rootward.json');
  writeFileSync(rules, JSON.stringify({ readOnly: true }));
  const { roots } = await readPathRoots([{ path: root }], { source: 'flag', home: '/nowhere' });
  const limits = await findLimits(new Scope({ roots }), OPTIONS);
  expect(limits).toEqual({ denied: [], fixed: [rules], locked: [join(root, 'notes')] });
});

test('findLimits() finds a root that is read-only by a rule in a folder above it', async () => {
  for (const name of ['.git', 'sub']) mkdirSync(join(root, name));
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main');
  writeFileSync(join(root, '.rootward.json'), JSON.stringify({ readOnly: true }));
  writeFileSync(join(root, 'sub', 'a.txt'), '');
  const path = join(root, 'sub');
  const { roots } = await readPathRoots([{ path }], { source: 'flag', home: '/nowhere' });
  expect((await findLimits(new Scope({ roots }), OPTIONS)).locked).toEqual([path]);
});
