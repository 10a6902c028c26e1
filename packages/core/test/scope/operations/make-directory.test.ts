import { describe, expect, test } from 'vitest';
import { statSync } from 'node:fs';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, rootAt, scopeOf, useTree } from '../fixture.js';

const tree = useTree();

describe.each(platforms)('Scope.mkdir() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('makes one folder, also when written with a trailing slash', async () => {
    expect(await scope().mkdir('a')).toEqual({ created: true });
    expect(await scope().mkdir('b/')).toEqual({ created: true });
    expect(tree().names()).toEqual(['a', 'b']);
  });

  test('refuses a folder that exists and one whose parent does not', async () => {
    tree().make({ a: {} });
    expect(await codeOf(scope().mkdir('a'))).toBe('already-exists');
    expect(await codeOf(scope().mkdir('b/c'))).toBe('not-found');
    expect(tree().names()).toEqual(['a']);
  });

  test('recursive makes the folders on the way and accepts what exists', async () => {
    expect(await scope().mkdir('a/b/c', { recursive: true })).toEqual({ created: true });
    expect(await scope().mkdir('a//./b/c/', { recursive: true })).toEqual({ created: false });
    expect(await scope().mkdir('a/b/./d', { recursive: true })).toEqual({ created: true });
    expect(await scope().mkdir('.', { recursive: true })).toEqual({ created: false });
    expect(tree().names(tree().in('a/b'))).toEqual(['c', 'd']);
  });

  test('recursive made at once by several calls succeeds for all', async () => {
    const making = scope();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => making.mkdir('a/b/c/d', { recursive: true })),
    );
    expect(outcomes.filter(({ created }) => created)).toHaveLength(1);
  });

  test('recursive does not guess what ".." after a missing folder means', async () => {
    expect(await codeOf(scope().mkdir('none/../a', { recursive: true }))).toBe('not-found');
    expect(tree().names()).toEqual([]);
  });

  test('refuses a file in the way', async () => {
    tree().make({ 'a.txt': 'text' });
    for (const recursive of [false, true]) {
      expect(await codeOf(scope().mkdir('a.txt', { recursive }))).toBe('already-exists');
      expect(await codeOf(scope().mkdir('a.txt/b', { recursive }))).toBe('not-a-directory');
    }
  });

  test('works below a link that stays inside', async () => {
    tree().make({ real: {} });
    tree().link('link', 'real');
    await scope().mkdir('link/a/b', { recursive: true });
    expect(statSync(tree().in('real/a/b')).isDirectory()).toBe(true);
  });

  test('makes nothing outside, through "..", a link, or a link that leads nowhere', async () => {
    tree().link('out', tree().outside);
    tree().link('dangling', tree().out('missing'));
    for (const recursive of [false, true]) {
      for (const path of ['../outside/a', 'out/a', 'out/a/b', tree().out('a')]) {
        expect(await codeOf(scope().mkdir(path, { recursive }))).toBe('outside-roots');
      }
      expect(['outside-roots', 'already-exists']).toContain(
        await codeOf(scope().mkdir('dangling', { recursive })),
      );
      expect(await codeOf(scope().mkdir('dangling/a', { recursive }))).toBe('outside-roots');
    }
    expect(tree().names(tree().outside)).toEqual([]);
  });

  test('does not make a root that is gone', async () => {
    const gone = new Scope({ roots: [rootAt(tree().in('gone'))], platform });
    expect(await codeOf(gone.mkdir(tree().in('gone')))).toBe('not-permitted');
    expect(await codeOf(gone.mkdir(tree().in('gone'), { recursive: true }))).toBe('outside-roots');
    expect(tree().names()).toEqual([]);
  });
});
