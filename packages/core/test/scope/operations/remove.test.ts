import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, rootAt, scopeOf, useTree } from '../fixture.js';

const tree = useTree();

describe.each(platforms)('Scope.remove() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('removes a file and an empty folder', async () => {
    tree().make({ 'a.txt': 'text', sub: {} });
    await scope().remove('a.txt');
    await scope().remove('sub/');
    expect(tree().names()).toEqual([]);
  });

  test('refuses a folder that is not empty, unless recursive', async () => {
    tree().make({ sub: { deep: { 'a.txt': '', deeper: {} }, 'b.txt': '' } });
    expect(await codeOf(scope().remove('sub'))).toBe('not-empty');
    expect(tree().names(tree().in('sub'))).toEqual(['b.txt', 'deep']);
    await scope().remove('sub', { recursive: true });
    expect(tree().names()).toEqual([]);
  });

  test('removes a link itself, never what it leads to, alone or in a folder', async () => {
    tree().make({ sub: {} });
    tree().make({ 'b.txt': 'outside', deep: { 'c.txt': 'outside' } }, tree().outside);
    tree().link('file', tree().out('b.txt'));
    tree().link('sub/folder', tree().outside);
    tree().link('sub/nothing', 'missing');
    await scope().remove('file');
    await scope().remove('sub', { recursive: true });
    expect(tree().names()).toEqual([]);
    expect(tree().names(tree().outside)).toEqual(['b.txt', 'deep']);
    expect(readFileSync(tree().out('deep/c.txt'), 'utf8')).toBe('outside');
  });

  test('does not follow a link that is written with a trailing slash', async () => {
    tree().make({ 'b.txt': '' }, tree().outside);
    tree().link('link', tree().outside);
    expect(await codeOf(scope().remove('link/', { recursive: true }))).toBe('not-a-directory');
    expect(tree().names()).toEqual(['link']);
    expect(tree().names(tree().outside)).toEqual(['b.txt']);
  });

  test('removes nothing outside', async () => {
    tree().make({ 'b.txt': '' }, tree().outside);
    tree().link('folder', tree().outside);
    for (const path of ['../outside/b.txt', '../outside', 'folder/b.txt', tree().out('b.txt')]) {
      expect(await codeOf(scope().remove(path, { recursive: true }))).toBe('outside-roots');
    }
    expect(tree().names(tree().outside)).toEqual(['b.txt']);
  });

  test('refuses what is missing, a file written as a folder, and paths without a name', async () => {
    tree().make({ 'a.txt': '', sub: {} });
    expect(await codeOf(scope().remove('none'))).toBe('not-found');
    expect(await codeOf(scope().remove('a.txt/'))).toBe('not-a-directory');
    for (const path of ['.', '..', 'sub/.', 'sub/..']) {
      expect(await codeOf(scope().remove(path, { recursive: true }))).toBe('invalid-path');
    }
    expect(tree().names()).toEqual(['a.txt', 'sub']);
  });

  test.runIf(process.platform !== 'win32')(
    'takes a backslash at the end of a name for what it is',
    async () => {
      tree().make({ 'a\\': 'text' });
      await scope().remove('a\\');
      expect(tree().names()).toEqual([]);
    },
  );

  test('refuses a root, or a folder that holds one', async () => {
    tree().make({ sub: { nested: { 'a.txt': '' }, 'file.txt': '' } });
    const nested = new Scope({
      roots: [
        rootAt(tree().inside),
        rootAt(tree().in('sub/nested')),
        rootAt(tree().in('sub/file.txt'), { kind: 'file' }),
      ],
      platform,
    });
    for (const path of [tree().inside, 'sub', 'sub/nested', 'sub/file.txt']) {
      const absolute = path === tree().inside ? path : tree().in(path);
      expect(await codeOf(nested.remove(absolute, { recursive: true }))).toBe('not-permitted');
    }
    expect(tree().names(tree().in('sub'))).toEqual(['file.txt', 'nested']);
  });

  test('recursive removes nothing at all when something in it is denied', async () => {
    tree().make({ sub: { 'a.txt': '', deep: { '.env': 'secret' }, 'z.txt': '' } });
    const denying = scopeOf(tree().inside, { platform, rules: { deny: ['.env'] } });
    expect(await codeOf(denying.remove('sub', { recursive: true }))).toBe('denied');
    expect(tree().names(tree().in('sub'))).toEqual(['a.txt', 'deep', 'z.txt']);
  });

  test('recursive removes a wide and deep tree', async () => {
    for (let index = 0; index < 100; index++) {
      mkdirSync(tree().in('big', String(index % 10), String(index)), { recursive: true });
      writeFileSync(tree().in('big', String(index % 10), String(index), 'a.txt'), '');
    }
    mkdirSync(tree().in('big', ...Array.from({ length: 100 }, () => 'd')), { recursive: true });
    await scope().remove('big', { recursive: true });
    expect(tree().names()).toEqual([]);
  });

  test('aborted beforehand removes nothing', async () => {
    tree().make({ sub: { 'a.txt': '' } });
    const signal = AbortSignal.abort();
    await expect(scope().remove('sub', { recursive: true, signal })).rejects.toBe(signal.reason);
    expect(tree().names(tree().in('sub'))).toEqual(['a.txt']);
  });
});
