import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, hasOtherDisk, OTHER_DISK, platforms, rootAt, scopeOf, useTree } from '../fixture.js';
import { counting, shownAs } from '../wrapped-platform.js';

const tree = useTree();

describe.each(platforms)('Scope.rename() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('moves a file and a folder with all that is in it', async () => {
    tree().make({ 'a.txt': 'text', sub: { 'b.txt': 'deep' } });
    await scope().rename('a.txt', 'sub/c.txt');
    await scope().rename('sub/', 'moved/');
    expect(tree().names()).toEqual(['moved']);
    expect(tree().text('moved/c.txt')).toBe('text');
    expect(tree().text('moved/b.txt')).toBe('deep');
  });

  test('refuses a target that exists, unless told to overwrite', async () => {
    tree().make({ 'a.txt': 'new', 'b.txt': 'old' });
    expect(await codeOf(scope().rename('a.txt', 'b.txt'))).toBe('already-exists');
    expect(tree().text('b.txt')).toBe('old');
    await scope().rename('a.txt', 'b.txt', { overwrite: true });
    expect(tree().text('b.txt')).toBe('new');
    expect(tree().names()).toEqual(['b.txt']);
  });

  test('never replaces a folder', async () => {
    tree().make({ 'a.txt': 'text', full: { 'b.txt': '' }, empty: {}, sub: {} });
    for (const target of ['full', 'empty']) {
      expect(await codeOf(scope().rename('a.txt', target, { overwrite: true }))).toBe('already-exists');
      expect(await codeOf(scope().rename('sub', target, { overwrite: true }))).toBe('already-exists');
    }
    expect(tree().names()).toEqual(['a.txt', 'empty', 'full', 'sub']);
  });

  test('moves a link itself, and replaces a link itself', async () => {
    tree().make({ 'a.txt': 'inside' });
    tree().make({ 'b.txt': 'outside' }, tree().outside);
    tree().link('link', tree().out('b.txt'));
    await scope().rename('link', 'moved');
    expect(readlinkSync(tree().in('moved'))).toBe(tree().out('b.txt'));
    await scope().rename('a.txt', 'moved', { overwrite: true });
    expect(lstatSync(tree().in('moved')).isFile()).toBe(true);
    expect(readFileSync(tree().out('b.txt'), 'utf8')).toBe('outside');
  });

  test('refuses to move from outside or to outside', async () => {
    tree().make({ 'a.txt': 'text' });
    tree().make({ 'b.txt': 'outside' }, tree().outside);
    tree().link('folder', tree().outside);
    for (const path of ['../outside/b.txt', 'folder/b.txt', tree().out('b.txt')]) {
      expect(await codeOf(scope().rename(path, 'c.txt'))).toBe('outside-roots');
    }
    for (const path of ['../outside/c.txt', 'folder/c.txt', '../inside-c.txt']) {
      expect(await codeOf(scope().rename('a.txt', path))).toBe('outside-roots');
    }
    expect(tree().names()).toEqual(['a.txt', 'folder']);
    expect(tree().names(tree().outside)).toEqual(['b.txt']);
  });

  test('refuses missing sources, missing target folders and paths without a name', async () => {
    tree().make({ 'a.txt': 'text', sub: {} });
    expect(await codeOf(scope().rename('none', 'b'))).toBe('not-found');
    expect(await codeOf(scope().rename('a.txt', 'none/b'))).toBe('not-found');
    for (const path of ['.', '..', 'sub/.', 'sub/..']) {
      expect(await codeOf(scope().rename(path, 'b'))).toBe('invalid-path');
      expect(await codeOf(scope().rename('a.txt', path))).toBe('invalid-path');
    }
  });

  test('refuses a file written as a folder, on either side', async () => {
    tree().make({ 'a.txt': 'text' });
    tree().link('link', 'a.txt');
    expect(await codeOf(scope().rename('a.txt/', 'b'))).toBe('not-a-directory');
    expect(await codeOf(scope().rename('link/', 'b'))).toBe('not-a-directory');
    expect(await codeOf(scope().rename('a.txt', 'b/'))).toBe('not-a-file');
    expect(tree().names()).toEqual(['a.txt', 'link']);
  });

  test.runIf(process.platform !== 'win32')(
    'takes a backslash at the end of a name for what it is',
    async () => {
      tree().make({ 'a\\': 'text' });
      await scope().rename('a\\', 'b\\');
      expect(tree().names()).toEqual(['b\\']);
    },
  );

  test('refuses to move a folder into itself', async () => {
    tree().make({ sub: {} });
    expect(await codeOf(scope().rename('sub', 'sub/deeper'))).toBe('invalid-path');
    expect(tree().names()).toEqual(['sub']);
  });

  test('refuses to move a root, or a folder that holds one', async () => {
    tree().make({ sub: { nested: { 'a.txt': '' }, 'file.txt': '' }, other: {} });
    const nested = new Scope({
      roots: [
        rootAt(tree().inside),
        rootAt(tree().in('sub/nested')),
        rootAt(tree().in('sub/file.txt'), { kind: 'file' }),
      ],
      platform,
    });
    for (const path of [tree().inside, 'sub', 'sub/nested', 'sub/file.txt']) {
      expect(await codeOf(nested.rename(path, tree().in('other/moved')))).toBe('not-permitted');
    }
    tree().make({ 'b.txt': 'text' });
    expect(await codeOf(nested.rename('b.txt', 'sub/file.txt', { overwrite: true }))).toBe('not-permitted');
    await nested.rename('sub/nested/a.txt', tree().in('other/a.txt'));
    expect(tree().names(tree().in('other'))).toEqual(['a.txt']);
  });

  test('refuses to move a folder whose content a path rule denies where it is now', async () => {
    tree().make({ app: { config: { 'secret.json': 'secret' } }, plain: { 'a.txt': '' } });
    const denying = scopeOf(tree().inside, { platform, rules: { deny: ['app/config/*.json'] } });
    for (const path of ['app', 'app/config']) {
      expect(await codeOf(denying.rename(path, 'elsewhere'))).toBe('denied');
    }
    await denying.rename('plain', 'elsewhere');
    expect(tree().names()).toEqual(['app', 'elsewhere']);
  });

  test('refuses to move a folder with denied content to a root with other rules', async () => {
    tree().make({ home: { project: { '.env': 'secret' } }, work: {} });
    const two = new Scope({
      roots: [rootAt(tree().in('home'), { broad: true }), rootAt(tree().in('work'))],
      platform,
    });
    expect(await codeOf(two.rename(tree().in('home/project'), tree().in('work/project')))).toBe('denied');
    const own = new Scope({
      roots: [rootAt(tree().in('home')), rootAt(tree().in('work'))],
      rules: { inFolder: new Map([[tree().in('home'), { deny: ['.env'] }]]) },
      platform,
    });
    expect(await codeOf(own.rename(tree().in('home/project'), tree().in('work/project')))).toBe('denied');
    expect(tree().names(tree().in('work'))).toEqual([]);
  });

  test('looks for denied content with one folder held per level, however many lie side by side', async () => {
    tree().make({ wide: {} });
    for (let index = 0; index < 60; index++) mkdirSync(tree().in('wide', String(index)));
    const held = counting(platform);
    const denying = scopeOf(tree().inside, {
      platform: held.platform,
      rules: { deny: ['elsewhere/*.json'] },
    });
    await denying.rename('wide', 'moved');
    expect(tree().names()).toEqual(['moved']);
    expect(held.most()).toBeLessThanOrEqual(4);
  });

  test('aborted beforehand does nothing', async () => {
    tree().make({ 'a.txt': 'text' });
    const signal = AbortSignal.abort();
    await expect(scope().rename('a.txt', 'b.txt', { signal })).rejects.toBe(signal.reason);
    expect(tree().names()).toEqual(['a.txt']);
  });

  describe.runIf(hasOtherDisk)('to another disk', () => {
    let disk = '';
    beforeEach(() => {
      disk = mkdtempSync(join(OTHER_DISK, 'rootward-scope-'));
    });
    afterEach(() => rmSync(disk, { recursive: true }));

    /** `/dev` is never in scope, so the other disk is shown to the scope under another name. */
    const twoDisks = (): Scope =>
      new Scope({
        roots: [rootAt(tree().inside), rootAt('/other-disk')],
        platform: shownAs(platform, disk, '/other-disk'),
      });

    test('moves a file with its content and mode', async () => {
      tree().make({ 'a.sh': 'text' });
      chmodSync(tree().in('a.sh'), 0o4751);
      await twoDisks().rename('a.sh', '/other-disk/b.sh');
      expect(tree().names()).toEqual([]);
      expect(tree().names(disk)).toEqual(['b.sh']);
      expect(readFileSync(join(disk, 'b.sh'), 'utf8')).toBe('text');
      expect(statSync(join(disk, 'b.sh')).mode & 0o7777).toBe(0o4751);
    });

    test('refuses a target that exists, unless told to overwrite', async () => {
      tree().make({ 'a.txt': 'new' });
      writeFileSync(join(disk, 'b.txt'), 'old');
      expect(await codeOf(twoDisks().rename('a.txt', '/other-disk/b.txt'))).toBe('already-exists');
      await twoDisks().rename('a.txt', '/other-disk/b.txt', { overwrite: true });
      expect(readFileSync(join(disk, 'b.txt'), 'utf8')).toBe('new');
      expect(tree().names()).toEqual([]);
    });

    test('refuses folders and links, and leaves them where they are', async () => {
      tree().make({ sub: { 'a.txt': '' } });
      tree().link('link', 'sub');
      for (const name of ['sub', 'link']) {
        expect(await codeOf(twoDisks().rename(name, `/other-disk/${name}`))).toBe('cross-device');
      }
      expect(tree().names()).toEqual(['link', 'sub']);
      expect(tree().names(disk)).toEqual([]);
    });
  });
});
