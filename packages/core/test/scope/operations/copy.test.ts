import { chmodSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, rootAt, scopeOf, useTree } from '../fixture.js';
import { asOrdinaryUser } from '../ordinary-user.js';

const tree = useTree();
const hasModes = process.platform !== 'win32';

describe.each(platforms)('Scope.copy() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('copies the bytes of a file, whatever they are', async () => {
    const bytes = Buffer.from([0, 255, 254, 10]);
    tree().make({ 'a.bin': bytes, sub: {} });
    await scope().copy('a.bin', 'sub/b.bin');
    expect(readFileSync(tree().in('sub/b.bin')).equals(bytes)).toBe(true);
    expect(tree().names(tree().in('sub'))).toEqual(['b.bin']);
  });

  test('copies from one root to another', async () => {
    tree().make({ one: { 'a.txt': 'text' }, two: {} });
    const both = new Scope({ roots: [rootAt(tree().in('one')), rootAt(tree().in('two'))], platform });
    await both.copy('a.txt', tree().in('two/a.txt'));
    expect(tree().text('two/a.txt')).toBe('text');
  });

  test('refuses a target that exists, unless told to overwrite', async () => {
    tree().make({ 'a.txt': 'new', 'b.txt': 'old' });
    expect(await codeOf(scope().copy('a.txt', 'b.txt'))).toBe('already-exists');
    expect(tree().text('b.txt')).toBe('old');
    await scope().copy('a.txt', 'b.txt', { overwrite: true });
    expect(tree().text('b.txt')).toBe('new');
    expect(tree().text('a.txt')).toBe('new');
    expect(tree().names()).toEqual(['a.txt', 'b.txt']);
  });

  test.runIf(hasModes)(
    'names the target where that cannot be written, and the source where that cannot be read',
    async () => {
      tree().make({ 'a.txt': 'text', 'secret.txt': '', locked: {} });
      chmodSync(tree().in('locked'), 0o555);
      chmodSync(tree().in('secret.txt'), 0o000);
      const copy = (from: string, to: string): Promise<void> =>
        asOrdinaryUser(tree(), () => scope().copy(from, to));
      await expect(copy('a.txt', 'locked/b.txt')).rejects.toMatchObject({
        code: 'not-permitted',
        path: 'locked/b.txt',
        message: 'Cannot copy to "locked/b.txt": the system does not permit it',
      });
      await expect(copy('secret.txt', 'locked/b.txt')).rejects.toMatchObject({
        code: 'not-permitted',
        path: 'secret.txt',
      });
    },
  );

  test('never replaces a folder', async () => {
    tree().make({ 'a.txt': 'text', sub: {} });
    expect(await codeOf(scope().copy('a.txt', 'sub', { overwrite: true }))).toBe('already-exists');
    expect(tree().names()).toEqual(['a.txt', 'sub']);
  });

  test('onto itself keeps the content', async () => {
    tree().make({ 'a.txt': 'text' });
    await scope().copy('a.txt', 'a.txt', { overwrite: true });
    expect(tree().text('a.txt')).toBe('text');
    expect(tree().names()).toEqual(['a.txt']);
  });

  test.runIf(hasModes)('gives a new copy the access bits of the source, never setuid', async () => {
    tree().make({ 'a.sh': 'text', 'b.sh': 'old' });
    chmodSync(tree().in('a.sh'), 0o4755);
    chmodSync(tree().in('b.sh'), 0o600);
    await scope().copy('a.sh', 'c.sh');
    await scope().copy('a.sh', 'b.sh', { overwrite: true });
    expect(statSync(tree().in('c.sh')).mode & 0o7777).toBe(0o755);
    expect(statSync(tree().in('b.sh')).mode & 0o7777).toBe(0o600);
  });

  test('copies what a link inside leads to, and replaces a link instead of writing through it', async () => {
    tree().make({ 'a.txt': 'text' });
    tree().make({ 'b.txt': 'outside' }, tree().outside);
    tree().link('from', 'a.txt');
    tree().link('to', tree().out('b.txt'));
    await scope().copy('from', 'to', { overwrite: true });
    expect(lstatSync(tree().in('to')).isFile()).toBe(true);
    expect(tree().text('to')).toBe('text');
    expect(readFileSync(tree().out('b.txt'), 'utf8')).toBe('outside');
  });

  test('refuses to copy from outside or to outside', async () => {
    tree().make({ 'a.txt': 'text' });
    tree().make({ 'b.txt': 'secret' }, tree().outside);
    tree().link('file', tree().out('b.txt'));
    tree().link('folder', tree().outside);
    expect(await codeOf(scope().copy('file', 'c.txt'))).toBe('outside-roots');
    expect(await codeOf(scope().copy(tree().out('b.txt'), 'c.txt'))).toBe('outside-roots');
    expect(await codeOf(scope().copy('a.txt', 'folder/c.txt'))).toBe('outside-roots');
    expect(await codeOf(scope().copy('a.txt', '../outside/c.txt'))).toBe('outside-roots');
    expect(tree().names()).toEqual(['a.txt', 'file', 'folder']);
    expect(tree().names(tree().outside)).toEqual(['b.txt']);
  });

  test('refuses folders, missing files and a target written as a folder', async () => {
    tree().make({ 'a.txt': 'text', sub: {} });
    expect(await codeOf(scope().copy('sub', 'b'))).toBe('not-a-file');
    expect(await codeOf(scope().copy('none', 'b'))).toBe('not-found');
    expect(await codeOf(scope().copy('a.txt', 'none/b'))).toBe('not-found');
    expect(await codeOf(scope().copy('a.txt', 'b/'))).toBe('not-a-file');
    expect(await codeOf(scope().copy('a.txt/', 'b'))).toBe('not-a-directory');
    expect(tree().names()).toEqual(['a.txt', 'sub']);
  });

  test('refuses to copy what is denied, and onto what is denied', async () => {
    tree().make({ 'a.txt': 'text', '.env': 'secret' });
    const denying = scopeOf(tree().inside, { platform, rules: { deny: ['.env*'] } });
    expect(await codeOf(denying.copy('.env', 'b.txt'))).toBe('denied');
    expect(await codeOf(denying.copy('a.txt', '.env', { overwrite: true }))).toBe('denied');
    expect(await codeOf(denying.copy('a.txt', '.env.new'))).toBe('denied');
    expect(tree().names()).toEqual(['.env', 'a.txt']);
  });

  test('aborted beforehand does nothing', async () => {
    tree().make({ 'a.txt': 'text' });
    const signal = AbortSignal.abort();
    await expect(scope().copy('a.txt', 'b.txt', { signal })).rejects.toBe(signal.reason);
    expect(tree().names()).toEqual(['a.txt']);
  });
});
