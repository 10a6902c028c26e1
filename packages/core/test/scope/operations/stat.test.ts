import { chmodSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, refusalOf, scopeOf, useTree } from '../fixture.js';

const tree = useTree();

describe.each(platforms)('Scope.stat() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('describes a file and a folder', async () => {
    tree().make({ sub: { 'a.txt': 'text' } });
    chmodSync(tree().in('sub/a.txt'), 0o640);
    const real = statSync(tree().in('sub/a.txt'));
    expect(await scope().stat('sub/a.txt')).toEqual({
      kind: 'file',
      size: 4,
      mode: real.mode & 0o7777,
      modified: real.mtime,
      accessed: real.atime,
      created: real.birthtime,
    });
    expect((await scope().stat('sub')).kind).toBe('directory');
    expect((await scope().stat('.')).kind).toBe('directory');
  });

  test('describes what a link inside leads to', async () => {
    tree().make({ 'a.txt': 'text' });
    tree().link('link', 'a.txt');
    expect(await scope().stat('link')).toMatchObject({ kind: 'file', size: 4 });
  });

  test('says nothing about what a link outside leads to', async () => {
    tree().make({ 'b.txt': 'a secret of some length' }, tree().outside);
    tree().link('link', tree().out('b.txt'));
    const refusal = await refusalOf(scope().stat('link'));
    expect(refusal.code).toBe('outside-roots');
    expect(refusal.message).not.toContain('b.txt');
  });

  test('gives the same answer for what exists outside and what does not', async () => {
    tree().make({ 'b.txt': '' }, tree().outside);
    for (const path of ['b.txt', 'none', 'none/deeper', 'b.txt/below-a-file']) {
      expect(await codeOf(scope().stat(tree().out(path)))).toBe('outside-roots');
      expect(await codeOf(scope().stat(`../outside/${path}`))).toBe('outside-roots');
    }
  });

  test('refuses a missing file, and a file written with a trailing slash', async () => {
    tree().make({ 'a.txt': 'text' });
    expect(await codeOf(scope().stat('none'))).toBe('not-found');
    expect(await codeOf(scope().stat('a.txt/'))).toBe('not-a-directory');
    expect(await codeOf(scope().stat('a.txt/.'))).toBe('not-a-directory');
  });

  test('refuses links that lead in a circle', async () => {
    tree().link('a', 'b');
    tree().link('b', 'a');
    expect(await codeOf(scope().stat('a'))).toBe('link-loop');
  });
});
