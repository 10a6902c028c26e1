import { chmodSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { Scope } from '../../../src/scope/scope.js';
import type { WalkEntry, WalkOptions } from '../../../src/scope/operations/walk.js';
import { codeOf, platforms, rootAt, scopeOf, useTree } from '../fixture.js';
import { asOrdinaryUser } from '../ordinary-user.js';
import { counting } from '../wrapped-platform.js';

const tree = useTree();

async function collect(scope: Scope, path = '.', options: WalkOptions = {}): Promise<WalkEntry[]> {
  const entries: WalkEntry[] = [];
  for await (const entry of scope.walk(path, options)) entries.push(entry);
  return entries;
}

async function seen(scope: Scope, path = '.', options: WalkOptions = {}): Promise<string[]> {
  return (await collect(scope, path, options)).map(({ relative }) => relative).sort();
}

describe.each(platforms)('Scope.walk() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('tells every entry once, with where it is', async () => {
    tree().make({ 'a.txt': '', sub: { 'b.txt': '', deep: { 'c.txt': '' } }, empty: {} });
    expect(await seen(scope())).toEqual(['a.txt', 'empty', 'sub', 'sub/b.txt', 'sub/deep', 'sub/deep/c.txt']);
    const entries = await collect(scope(), 'sub');
    expect(entries).toContainEqual({
      path: tree().in('sub/deep/c.txt'),
      relative: 'deep/c.txt',
      name: 'c.txt',
      kind: 'file',
      depth: 2,
    });
  });

  test('gives sizes and times of files where they are wanted, and never those behind a link', async () => {
    tree().make({ 'a.txt': 'abc', sub: {} });
    tree().link('in', 'a.txt');
    const sizes = (await collect(scope(), '.', { stats: true })).map(({ name, stats }) => [
      name,
      stats?.size,
    ]);
    expect(sizes).toEqual([
      ['a.txt', 3],
      ['in', undefined],
      ['sub', undefined],
    ]);
  });

  test('gives stamps of files that are at rest, the same that a reading has', async () => {
    tree().make({ 'a.txt': 'abc', sub: {} });
    tree().link('in', 'a.txt');
    expect(await collect(scope(), '.', { stamps: true })).not.toContainEqual(
      expect.objectContaining({ stamp: expect.anything() as unknown }),
    );
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    const entries = await collect(scope(), '.', { stamps: true });
    clock.mockRestore();
    const { stamp } = await scope().readText('a.txt');
    expect(entries.map(({ name, stamp: seenThen }) => [name, seenThen])).toEqual([
      ['a.txt', stamp],
      ['in', undefined],
      ['sub', undefined],
    ]);
  });

  test('goes down each folder first, or level by level with breadthFirst', async () => {
    tree().make({ a: { b: { 'c.txt': '' } }, d: { 'e.txt': '' }, 'f.txt': '' });
    expect((await collect(scope())).map(({ relative }) => relative)).toEqual([
      'a',
      'd',
      'f.txt',
      'a/b',
      'a/b/c.txt',
      'd/e.txt',
    ]);
    const levels = await collect(scope(), '.', { breadthFirst: true });
    expect(levels.map(({ relative }) => relative)).toEqual([
      'a',
      'd',
      'f.txt',
      'a/b',
      'd/e.txt',
      'a/b/c.txt',
    ]);
  });

  test('walks an empty folder to its end', async () => {
    expect(await seen(scope())).toEqual([]);
  });

  test('tells links and follows none of them', async () => {
    tree().make({ real: { 'a.txt': '' } });
    tree().make({ 'secret.txt': '' }, tree().outside);
    tree().link('real/up', '..');
    tree().link('in', 'real');
    tree().link('out', tree().outside);
    tree().link('nothing', 'missing');
    expect(await seen(scope())).toEqual(['in', 'nothing', 'out', 'real', 'real/a.txt', 'real/up']);
    const kinds = (await collect(scope())).filter(({ kind }) => kind === 'link').map(({ name }) => name);
    expect(kinds.sort()).toEqual(['in', 'nothing', 'out', 'up']);
  });

  test('starts at what a link inside leads to, and not at what one outside does', async () => {
    tree().make({ real: { 'a.txt': '' } });
    tree().link('in', 'real');
    tree().link('out', tree().outside);
    const [entry] = await collect(scope(), 'in');
    expect(entry).toMatchObject({ path: tree().in('real/a.txt'), relative: 'a.txt' });
    expect(await codeOf(seen(scope(), 'out'))).toBe('outside-roots');
  });

  test('refuses a file, a missing folder, a denied one and one outside', async () => {
    tree().make({ 'a.txt': '', secret: {} });
    expect(await codeOf(seen(scope(), 'a.txt'))).toBe('not-a-directory');
    expect(await codeOf(seen(scope(), 'none'))).toBe('not-found');
    expect(await codeOf(seen(scope(), '..'))).toBe('outside-roots');
    expect(
      await codeOf(seen(scopeOf(tree().inside, { platform, rules: { deny: ['secret'] } }), 'secret')),
    ).toBe('denied');
  });

  test('goes no deeper than maxDepth', async () => {
    tree().make({ 'a.txt': '', sub: { 'b.txt': '', deep: { 'c.txt': '' } } });
    expect(await seen(scope(), '.', { maxDepth: 0 })).toEqual([]);
    expect(await seen(scope(), '.', { maxDepth: 1 })).toEqual(['a.txt', 'sub']);
    expect(await seen(scope(), '.', { maxDepth: 2 })).toEqual(['a.txt', 'sub', 'sub/b.txt', 'sub/deep']);
  });

  test('leaves out what the filter refuses, and never looks into a folder it refuses', async () => {
    tree().make({ 'a.txt': '', 'b.md': '', skip: { 'c.txt': '' }, keep: { 'd.txt': '' } });
    const asked: string[] = [];
    const filter = (entry: WalkEntry): boolean => {
      asked.push(entry.relative);
      return entry.name !== 'skip' && !entry.name.endsWith('.md');
    };
    expect(await seen(scope(), '.', { filter })).toEqual(['a.txt', 'keep', 'keep/d.txt']);
    expect(asked).not.toContain('skip/c.txt');
  });

  test('leaves denied entries out, with all that is in them', async () => {
    tree().make({
      'a.txt': '',
      secret: { 'b.txt': '' },
      sub: { '.env': '', 'c.txt': '', gen: { 'd.txt': '' } },
    });
    const denying = scopeOf(tree().inside, { platform, rules: { deny: ['secret', '.env', 'sub/gen'] } });
    expect(await seen(denying)).toEqual(['a.txt', 'sub', 'sub/c.txt']);
  });

  test('leaves the secrets of a broad root out, also when it starts below it', async () => {
    tree().make({
      sub: { 'a.txt': '', '.ssh': { id_rsa: '' }, '.env': '', 'cert.pem': '', '.aws': { config: '' } },
    });
    const broad = new Scope({ roots: [rootAt(tree().inside, { broad: true })], platform });
    expect(await seen(broad)).toEqual(['sub', 'sub/a.txt']);
    expect(await seen(broad, 'sub')).toEqual(['a.txt']);
  });

  test('applies the rules of every root around a nested one', async () => {
    tree().make({ nested: { 'a.txt': '', 'b.log': '' } });
    const nested = new Scope({
      roots: [rootAt(tree().in('nested')), rootAt(tree().inside)],
      rules: { inFolder: new Map([[tree().inside, { deny: ['nested/*.log'] }]]) },
      platform,
    });
    expect(await seen(nested, tree().in('nested'))).toEqual(['a.txt']);
  });

  test('passes over a folder that goes away meanwhile', async () => {
    tree().make({ one: { 'a.txt': '' }, two: { 'b.txt': '' } });
    const walking = scope().walk('.');
    const first = await walking.next();
    const second = await walking.next();
    for (const name of ['one', 'two']) rmSync(tree().in(name), { recursive: true });
    expect(new Set([first.value?.name, second.value?.name])).toEqual(new Set(['one', 'two']));
    expect((await walking.next()).done).toBe(true);
  });

  test('passes over a folder that was swapped for a link to outside meanwhile', async () => {
    tree().make({ sub: { 'a.txt': '' } });
    tree().make({ 'secret.txt': '' }, tree().outside);
    const walking = scope().walk('.');
    expect((await walking.next()).value?.name).toBe('sub');
    renameSync(tree().in('sub'), tree().in('gone'));
    tree().link('sub', tree().outside);
    expect((await walking.next()).done).toBe(true);
  });

  test.runIf(process.getuid !== undefined)(
    'passes over a folder it may not read, with and without ignore files',
    async () => {
      tree().make({ 'a.txt': '', closed: { 'b.txt': '' }, listable: { 'c.txt': '' } });
      chmodSync(tree().in('closed'), 0o000);
      chmodSync(tree().in('listable'), 0o744);
      for (const gitignore of [false, true]) {
        const names = await asOrdinaryUser(tree(), () => seen(scope(), '.', { gitignore }));
        expect(names).toContain('a.txt');
        expect(names).toContain('closed');
        expect(names).not.toContain('closed/b.txt');
      }
    },
  );

  test.runIf(process.getuid !== undefined)(
    'says so when the folder it was asked for may not be read',
    async () => {
      tree().make({ closed: {} });
      chmodSync(tree().in('closed'), 0o000);
      for (const gitignore of [false, true]) {
        expect(await asOrdinaryUser(tree(), () => codeOf(seen(scope(), 'closed', { gitignore })))).toBe(
          'not-permitted',
        );
      }
    },
  );

  test('holds nothing open when the consumer stops early', async () => {
    tree().make({ one: { 'a.txt': '' }, two: { 'b.txt': '' } });
    const held = counting(platform);
    for await (const entry of scopeOf(tree().inside, { platform: held.platform }).walk('.')) {
      expect(entry.depth).toBe(1);
      break;
    }
    expect(held.now()).toBe(0);
  });
});

test('Scope.walk() tells 20,000 files and lets others run meanwhile', async () => {
  tree().make({ file: '' }, tree().outside);
  for (let folder = 0; folder < 100; folder++) {
    mkdirSync(tree().in(String(folder)));
    // Further names of one file: much faster to make and remove than 20,000 files.
    for (let file = 0; file < 200; file++)
      linkSync(tree().out('file'), tree().in(String(folder), String(file)));
  }
  const scope = scopeOf(tree().inside);
  let turns = 0;
  let walking = true;
  const count = (): void => {
    turns++;
    if (walking) setImmediate(count);
  };
  setImmediate(count);
  const entries = await collect(scope);
  expect(entries).toHaveLength(20_100);
  walking = false;
  expect(turns).toBeGreaterThan(0);
  const batched: WalkEntry[] = [];
  for await (const batch of scope.walkInBatches('.')) batched.push(...batch);
  expect(batched).toEqual(entries);
});

test('Scope.walk() aborted in the middle tells no further entry', async () => {
  tree().make({ one: { 'a.txt': '' }, two: { 'b.txt': '' }, 'c.txt': '' });
  const controller = new AbortController();
  const reason = new Error('enough');
  const walking = scopeOf(tree().inside).walk('.', { signal: controller.signal });
  expect((await walking.next()).done).toBe(false);
  controller.abort(reason);
  await expect(walking.next()).rejects.toBe(reason);
  expect((await walking.next()).done).toBe(true);
});

test('Scope.walk() aborted beforehand tells nothing', async () => {
  tree().make({ 'a.txt': '' });
  const signal = AbortSignal.abort();
  await expect(collect(scopeOf(tree().inside), '.', { signal })).rejects.toBe(signal.reason);
});
