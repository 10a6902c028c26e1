import { readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { platforms, rootAt, useTree } from '../fixture.js';
import { Scope } from '../../../src/scope/scope.js';

const tree = useTree();
const expected = (found: { kind: string }) => found.kind === 'link';

describe.each(platforms)('on the %s platform', (_name, platform) => {
  const scopeOf = (path: string, more = {}) => new Scope({ roots: [rootAt(path, more)], platform });
  const inFolder = () => scopeOf(tree().inside);
  const asRoot = () => scopeOf(tree().in('a.txt'), { kind: 'file' });

  test.each(['folder', 'file'])(
    'write() replaces exactly what was expected: a root that is a %s',
    async (kind) => {
      tree().make({ 'a.txt': 'one' });
      const scope = kind === 'folder' ? inFolder() : asRoot();
      const path = tree().in('a.txt');
      const { version } = await scope.readText(path);
      // Written again as it was.
      writeFileSync(path, 'one');
      const written = await scope.write(path, 'two', { expected: version });
      await expect(scope.write(path, 'three', { expected: version })).rejects.toMatchObject({
        code: 'changed-meanwhile',
        instruction: expect.stringContaining('Read it again'),
      });
      expect(tree().text('a.txt')).toBe('two');
      await scope.write(path, 'three', { expected: written.version });
      expect(tree().text('a.txt')).toBe('three');
    },
  );

  test.each(['gone', 'a folder', 'a link to the same content', 'another file with a part of it read'])(
    'write() is refused where the file is %s meanwhile',
    async (kind) => {
      tree().make({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\ntwo\n' });
      const path = tree().in('a.txt');
      const isPart = kind.includes('part');
      const { version } = await inFolder().readText(path, isPart ? { head: 1 } : {});
      rmSync(path);
      if (kind === 'a folder') tree().make({ 'a.txt': {} });
      if (kind.startsWith('a link')) symlinkSync('b.txt', path);
      if (isPart) writeFileSync(path, 'one\nnew\n');
      const writing = inFolder().write(path, 'three', { expected: version });
      await expect(writing).rejects.toMatchObject({
        code: kind === 'a folder' ? 'not-a-file' : 'changed-meanwhile',
      });
      expect(tree().text('b.txt')).toBe('one\ntwo\n');
    },
  );

  test('write() of a file that was read in part accepts the same file', async () => {
    tree().make({ 'a.txt': 'one\ntwo\n' });
    const { version } = await inFolder().readText('a.txt', { head: 1 });
    await inFolder().write('a.txt', 'new', { expected: version });
    const again = await inFolder().write('a.txt', 'er', { mode: 'append' });
    await inFolder().write('a.txt', 'newest', { expected: again.version });
    expect(tree().text('a.txt')).toBe('newest');
  });

  test('update() starts over from what another program wrote, and keeps the byte order mark', async () => {
    tree().make({ 'a.txt': '\uFEFFone' });
    const texts: string[] = [];
    const result = await inFolder().update('a.txt', ({ text }) => {
      texts.push(text);
      if (texts.length === 1) writeFileSync(tree().in('a.txt'), '\uFEFFtwo');
      return `${text}!`;
    });
    expect(texts).toEqual(['one', 'two']);
    expect(result).toMatchObject({ before: 'two', after: 'two!', bom: true });
    expect(tree().text('a.txt')).toBe('\uFEFFtwo!');
    await inFolder().write('a.txt', 'next', { expected: result.version });
  });

  test('update() gives up on a program that never stops, and writes nothing itself', async () => {
    tree().make({ 'a.txt': '0' });
    let count = 0;
    const updating = inFolder().update('a.txt', ({ text }) => {
      writeFileSync(tree().in('a.txt'), String(++count));
      return `${text}!`;
    });
    await expect(updating).rejects.toMatchObject({ code: 'changed-meanwhile' });
    expect(tree().text('a.txt')).toBe(String(count));
  });

  test('update() follows a link that leads to another file meanwhile', async () => {
    tree().make({ 'a.txt': 'a', 'b.txt': 'b' });
    symlinkSync('a.txt', tree().in('link'));
    let isFirst = true;
    await inFolder().update('link', ({ text }) => {
      if (isFirst) {
        symlinkSync('b.txt', tree().in('new'));
        renameSync(tree().in('new'), tree().in('link'));
      }
      isFirst = false;
      return `${text}!`;
    });
    expect([tree().text('a.txt'), tree().text('b.txt')]).toEqual(['a', 'b!']);
  });

  test('update() writes nothing where the text stays the same', async () => {
    tree().make({ 'a.txt': 'a' });
    utimesSync(tree().in('a.txt'), new Date(1000), new Date(1000));
    await inFolder().update('a.txt', ({ text }) => text);
    expect((await inFolder().stat('a.txt')).modified).toEqual(new Date(1000));
    expect(readFileSync(tree().in('a.txt'), 'utf8')).toBe('a');
  });

  test('remove(), rename() and restore() refuse what is not expected', async () => {
    tree().make({ 'a.txt': 'a', d: {} });
    const scope = inFolder();
    const refused = { code: 'changed-meanwhile' };
    await expect(scope.remove('a.txt', { expected })).rejects.toMatchObject(refused);
    await expect(scope.remove('d', { expected, recursive: true })).rejects.toMatchObject(refused);
    await expect(scope.rename('a.txt', 'b.txt', { expected })).rejects.toMatchObject(refused);
    const entry = { kind: 'file', mode: 0o644, bytes: Buffer.from('b') } as const;
    await expect(scope.restore('a.txt', entry, { expected })).rejects.toMatchObject(refused);
    await expect(asRoot().restore(tree().in('a.txt'), entry, { expected })).rejects.toMatchObject(refused);
    expect(tree().names().toSorted()).toEqual(['a.txt', 'd']);
    expect(tree().text('a.txt')).toBe('a');
  });
});
