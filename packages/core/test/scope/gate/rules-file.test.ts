import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FenceFolder } from '../../../src/roots/fence.js';
import type { RulesInFolder } from '../../../src/scope/gate/rules-file.js';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, refusalOf, rootAt, useTree } from '../fixture.js';

const tree = useTree();

/** `repo` is a repository with a folder in it that is one, too. */
function makeRepository(): void {
  tree().make({
    repo: {
      '.git': { HEAD: '' },
      'a.txt': 'a',
      config: { private: { 'key.txt': 'secret' }, 'b.txt': 'b' },
      inner: { '.git': { HEAD: '' }, 'c.txt': 'c', private: { 'd.txt': 'd' } },
    },
  });
}

function rules(folder: string, content: unknown): void {
  writeFileSync(join(tree().in(folder), '.rootward.json'), JSON.stringify(content));
}

function over(...folders: string[]): Scope {
  return new Scope({ roots: folders.map((folder) => rootAt(tree().in(folder))) });
}

function tied(name: string): FenceFolder {
  return rootAt(tree().in(name));
}

describe('A rules file', () => {
  test.each([
    ['the folder itself', 'repo'],
    ['a folder below', 'repo/config'],
    ['the folder that is denied', 'repo/config/private'],
    ['the folder above', '.'],
  ])('holds where the root is %s', async (_which, root) => {
    makeRepository();
    rules('repo', { deny: ['config/private'], readOnly: true });
    const scope = over(root);
    expect(await codeOf(scope.readText(tree().in('repo/config/private/key.txt')))).toBe('denied');
    expect(scope.contains(tree().in('repo/config/private/key.txt'))).toBe(false);
    expect(await codeOf(scope.write(tree().in('repo/config/private/new.txt'), ''))).toBe('denied');
    const listed = over(root).contains(tree().in('repo/config'))
      ? (await scope.list(tree().in('repo/config'))).map(({ name }) => name)
      : [];
    expect(listed).not.toContain('private');
  });

  test('makes its folder read-only, wherever the root is, and says by which file', async () => {
    makeRepository();
    rules('repo/config', { readOnly: true });
    for (const root of ['repo', 'repo/config', '.', 'repo/config/private']) {
      const refusal = await refusalOf(over(root).write(tree().in('repo/config/private/key.txt'), 'x'));
      expect(refusal.code).toBe('read-only');
      expect(refusal.message).toContain('config/.rootward.json');
    }
    await over('repo').write('a.txt', 'changed');
  });

  test('of the outer repository holds in the inner one', async () => {
    makeRepository();
    rules('repo', { deny: ['inner/private'] });
    expect(await codeOf(over('repo/inner').readText('private/d.txt'))).toBe('denied');
    expect((await over('repo/inner').readText('c.txt')).text).toBe('c');
  });

  test('of a folder the operator named holds in what a client narrows out of it, repository or not', async () => {
    tree().make({ plain: { sub: { 'a.txt': 'a' } } });
    rules('plain', { deny: ['sub/a.txt'] });
    const roots = [rootAt(tree().in('plain/sub'))];
    const fence = { homes: [], named: [tied('plain')], ceiling: [], hinted: [] };
    expect(await codeOf(new Scope({ roots, fence }).readText('a.txt'))).toBe('denied');
    const hinted = { ...fence, named: [], hinted: [tied('plain')] };
    expect(await codeOf(new Scope({ roots, fence: hinted }).readText('a.txt'))).toBe('denied');
  });

  test('above the ceiling does not count', async () => {
    makeRepository();
    rules('repo', { readOnly: true });
    const roots = [rootAt(tree().in('repo/config'))];
    const ceiling = [tied('repo/config')];
    await new Scope({ roots, fence: { homes: [], named: [], ceiling, hinted: [] } }).write(
      'b.txt',
      'changed',
    );
  });

  test('that is new, changed or gone counts from the next call on', async () => {
    makeRepository();
    const scope = over('repo');
    const file = join(tree().in('repo'), '.rootward.json');
    expect((await scope.readText('a.txt')).text).toBe('a');
    writeFileSync(file, '{ "deny": ["a.txt"] }');
    expect(await codeOf(scope.readText('a.txt'))).toBe('denied');
    const stamp = new Date(2020, 1, 1);
    utimesSync(file, stamp, stamp);
    expect(await codeOf(scope.readText('a.txt'))).toBe('denied');
    // As long as before, and with the same time of change.
    writeFileSync(file, '{ "deny": ["b.txt"] }');
    utimesSync(file, stamp, stamp);
    expect((await scope.readText('a.txt')).text).toBe('a');
    rmSync(file);
    mkdirSync(tree().in('repo/new'));
    rules('repo/new', { readOnly: true });
    expect(await codeOf(scope.write('new/x.txt', ''))).toBe('read-only');
  });

  test('hides what it denies from listings and walks, at any depth', async () => {
    makeRepository();
    rules('repo/config', { deny: ['private'] });
    const names = (await over('repo').list('config')).map(({ name }) => name);
    expect(names.sort()).toEqual(['.rootward.json', 'b.txt']);
    const walked: string[] = [];
    for await (const { relative } of over('repo').walk('.')) walked.push(relative);
    expect(walked).toContain('config/b.txt');
    expect(walked.filter((path) => path.startsWith('config/private'))).toEqual([]);
  });

  test('is not outwitted by moving what it is about', async () => {
    makeRepository();
    rules('repo', { deny: ['config/private'] });
    expect(await codeOf(over('repo').rename('config', 'moved'))).toBe('denied');
    expect(await codeOf(over('repo').remove('config', { recursive: true }))).toBe('denied');
  });
});

describe('A rules file that cannot be read', () => {
  test.each([
    ['a trailing comma', '{\n  "deny": ["x"],\n}', 'line 3'],
    ['nothing', '', 'not JSON'],
    ['a list', '[]', 'not an object'],
    ['a bad glob', '{"deny":["[z-a]"]}', 'deny pattern'],
    ['a glob that can match nothing', '{"deny":["/etc/ "]}', 'deny pattern'],
    ['a denial that is a number', '{"deny":[1]}', 'not a string'],
    ['a denial that is no list', '{"deny":"x"}', 'not a list'],
    ['a key twice', '{"deny":["a.txt"],\n"deny":[]}', 'twice (line 2)'],
    ['a key twice, spelled otherwise', String.raw`{"deny":["a.txt"],"\u0064eny":[]}`, 'twice'],
    ['UTF-16', Buffer.from('{"deny":["a.txt"]}', 'utf16le'), 'not JSON'],
    ['bytes that are not text', Buffer.from([0x7b, 0xff, 0x7d]), 'UTF-8'],
    ['more than 64 KB', ' '.repeat(70_000), '65536'],
  ])('with %s refuses everything but itself', async (_what, content, reason) => {
    makeRepository();
    writeFileSync(join(tree().in('repo/config'), '.rootward.json'), content);
    const scope = over('repo');
    const refusal = await refusalOf(scope.readText('config/b.txt'));
    expect(refusal).toMatchObject({ code: 'rules-unreadable', message: expect.stringContaining(reason) });
    for (const attempt of [
      () => scope.write('config/new.txt', ''),
      () => scope.list('config'),
      () => scope.stat('config/b.txt'),
      () => scope.remove('config/b.txt'),
      () => scope.rename('config/b.txt', 'b.txt'),
      () => scope.copy('config/b.txt', 'b.txt'),
      () => scope.mkdir('config/x'),
      () => scope.open('config/b.txt'),
      () => scope.readText('config/private/key.txt'),
    ]) {
      expect(await codeOf(attempt)).toBe('rules-unreadable');
    }
    expect((await scope.readText('a.txt')).text).toBe('a');
    expect((await scope.readBytes('config/.rootward.json')).size).toBe(Buffer.byteLength(content));
    expect(await codeOf(scope.write('config/.rootward.json', '{}'))).toBe('protected');
    // The same where the root begins below it.
    expect(await codeOf(over('repo/config/private').readText('key.txt'))).toBe('rules-unreadable');
  });

  test('because it is a link, a folder or a FIFO refuses everything', async () => {
    makeRepository();
    const file = join(tree().in('repo/config'), '.rootward.json');
    symlinkSync(tree().out('missing'), file);
    expect(await codeOf(over('repo').readText('config/b.txt'))).toBe('rules-unreadable');
    rmSync(file);
    mkdirSync(file);
    expect(await codeOf(over('repo').readText('config/b.txt'))).toBe('rules-unreadable');
    rmSync(file, { recursive: true });
    execFileSync('mkfifo', [file]);
    expect(await codeOf(over('repo').readText('config/b.txt'))).toBe('rules-unreadable');
  });

  test.each([
    ['an unknown key', { deny: ['a.txt'], colour: 'red' }],
    ['a category that is none', { deny: ['a.txt'], categories: [] }],
    ['roots', { deny: ['a.txt'], roots: ['/'] }],
  ])('only in part, for %s, still denies', async (_what, content) => {
    makeRepository();
    rules('repo', content);
    expect(await codeOf(over('repo').readText('a.txt'))).toBe('denied');
    expect((await over('repo').readText('config/b.txt')).text).toBe('b');
  });

  test.each(['true', 1, null, {}])('makes read-only what says readOnly: %j', async (readOnly) => {
    makeRepository();
    rules('repo', { readOnly });
    expect(await codeOf(over('repo').write('a.txt', ''))).toBe('read-only');
  });
});

/** A scope over `root`, with rules about `named` that are not in a file there. */
function elsewhere(root: string, named: string): Scope {
  const keptElsewhere = (folder: string): readonly RulesInFolder[] =>
    folder === tree().in(named) ? [{ deny: ['private'] }] : [];
  return new Scope({ roots: [rootAt(tree().in(root))], rules: { keptElsewhere } });
}

describe('Rules that are kept elsewhere', () => {
  test.each(['repo/config', 'repo', 'repo/config/private', '.'])(
    'hold where the root is %s',
    async (root) => {
      makeRepository();
      rmSync(tree().in('repo/.git'), { recursive: true });
      const scope = elsewhere(root, 'repo');
      expect(await codeOf(scope.readText(tree().in('repo/config/private/key.txt')))).toBe('denied');
    },
  );

  test.each(['repo/inner', 'repo'])('keep the folder from being moved: %s', async (moved) => {
    tree().make({ repo: { inner: { 'a.txt': 'a' } } });
    const scope = elsewhere('.', 'repo/inner');
    expect(await codeOf(scope.rename(tree().in(moved), tree().in('other')))).toBe('protected');
    await scope.rename(tree().in('repo/inner/a.txt'), tree().in('repo/a.txt'));
  });
});
