import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, rootAt, scopeOf, useTree } from '../fixture.js';

const tree = useTree();

describe.each(platforms)('Scope.locate() and Scope.contains() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('tells where a path leads', () => {
    tree().make({ sub: { 'a.txt': '' } });
    tree().link('link', 'sub');
    const root = rootAt(tree().inside);
    const expected = {
      path: tree().in('sub/a.txt'),
      root,
      relative: 'sub/a.txt',
      exists: true,
      writable: true,
      steers: false,
    };
    for (const path of ['sub/a.txt', 'link/a.txt', './sub/../link/a.txt', tree().in('link//a.txt')]) {
      expect(scope().locate(path)).toEqual(expected);
    }
    expect(scope().locate('.')).toMatchObject({ path: tree().inside, relative: '' });
  });

  test('tells where a path would lead that does not exist yet', () => {
    tree().make({ sub: {} });
    tree().link('link', 'sub');
    expect(scope().locate('link/new/deep')).toMatchObject({
      path: tree().in('sub/new/deep'),
      relative: 'sub/new/deep',
      exists: false,
      writable: true,
    });
  });

  test('gives the deepest of nested roots', () => {
    tree().make({ nested: { 'a.txt': '' } });
    const nested = new Scope({ roots: [rootAt(tree().inside), rootAt(tree().in('nested'))], platform });
    expect(nested.locate(tree().in('nested/a.txt'))).toMatchObject({
      root: { path: tree().in('nested') },
      relative: 'a.txt',
    });
  });

  test('tells what may not be changed', () => {
    tree().make({ 'a.txt': '', '.rootward.json': '{}' });
    const fixed = new Scope({ roots: [rootAt(tree().inside, { access: 'read-only' })], platform });
    expect(fixed.locate('a.txt')).toMatchObject({ writable: false, steers: false });
    expect(scope().locate('a.txt').writable).toBe(true);
    expect(scope().locate('.rootward.json')).toMatchObject({ writable: false, steers: true });
  });

  test('refuses what is denied, also before it exists', async () => {
    const denying = scopeOf(tree().inside, { platform, rules: { deny: ['secret'] } });
    expect(await codeOf(() => denying.locate('secret/a'))).toBe('denied');
    expect(denying.contains('secret/a')).toBe(false);
  });

  test('contains the root itself, children to come, and links from elsewhere that lead in', () => {
    tree().make({ sub: { deep: {} }, 'a.txt': '' });
    tree().link('link', 'sub/deep');
    const paths = [
      '',
      '/',
      '/.',
      '/sub/..',
      '/a.txt',
      '/new',
      '/new/deeper',
      '/sub/../new',
      '/link/..',
      '/link/../new',
    ];
    symlinkSync(tree().inside, join(tree().base, 'alias'));
    for (const path of paths) {
      expect(scope().contains(tree().inside + path)).toBe(true);
      expect(scope().contains(join(tree().base, 'alias') + path)).toBe(true);
    }
  });

  test('does not contain what leads out, or nowhere, or is not a path', () => {
    tree().make({ 'a.txt': '' });
    tree().make(
      { inside2: {}, "inside'": {}, 'inside ': {}, outside: { 'b.txt': '', deep: {} } },
      tree().base,
    );
    tree().link('out', tree().outside);
    tree().link('deep', '../outside/deep');
    tree().link('dangling', tree().out('missing'));
    tree().link('dangling-inside', 'missing');
    tree().link('loop', 'loop');
    const { inside, base } = tree();
    const paths = [
      '',
      'a\0b',
      '..',
      '../outside',
      '../inside2',
      "../inside'",
      '../inside ',
      'out',
      'out/b.txt',
      'out/missing',
      'out/missing/deeper',
      'deep/../b.txt',
      'dangling',
      'dangling/below',
      'dangling-inside',
      'loop',
      'loop/below',
      'a.txt/below',
      'missing/../../outside',
      base,
      `${inside}2`,
      '/',
      '/proc/self/cwd',
      'file:///etc/passwd',
    ];
    for (const path of paths) expect([path, scope().contains(path)]).toEqual([path, false]);
  });

  test.runIf(process.platform === 'linux')('does not contain another letter case', () => {
    expect(scope().contains(tree().inside.toUpperCase())).toBe(false);
  });

  test('contains nothing without roots', async () => {
    const empty = new Scope({ roots: [], platform });
    expect(empty.contains(tree().inside)).toBe(false);
    expect(await codeOf(() => empty.locate(tree().inside))).toBe('no-roots');
    expect(await codeOf(empty.readText(tree().inside))).toBe('no-roots');
  });

  test('keeps to the roots it was made with', () => {
    const roots = [rootAt(tree().inside)];
    const old = new Scope({ roots, platform });
    const next = new Scope({ roots: [rootAt(tree().outside)], platform });
    expect([old.contains(tree().inside), old.contains(tree().outside)]).toEqual([true, false]);
    expect([next.contains(tree().inside), next.contains(tree().outside)]).toEqual([false, true]);
  });
});
