import { describe, expect, test } from 'vitest';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, rootAt, scopeOf, useTree } from '../fixture.js';

const tree = useTree();

async function namesIn(listing: Scope, path = '.'): Promise<string[]> {
  return (await listing.list(path)).map(({ name }) => name).sort();
}

describe.each(platforms)('Scope.list() on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('tells files, folders and links apart, and does not look behind links', async () => {
    tree().make({ 'a.txt': 'text', sub: {} });
    tree().link('to-file', 'a.txt');
    tree().link('to-outside', tree().outside);
    tree().link('to-nothing', 'missing');
    const kinds = Object.fromEntries((await scope().list('.')).map(({ name, kind }) => [name, kind]));
    expect(kinds).toEqual({
      'a.txt': 'file',
      sub: 'directory',
      'to-file': 'link',
      'to-outside': 'link',
      'to-nothing': 'link',
    });
  });

  test('lists an empty folder as empty', async () => {
    expect(await scope().list('.')).toEqual([]);
  });

  test('gives stats for files and folders when asked, and never for links', async () => {
    tree().make({ 'a.txt': 'text', sub: {} });
    tree().make({ 'secret.txt': 'a longer secret' }, tree().outside);
    tree().link('link', tree().out('secret.txt'));
    const entries = new Map((await scope().list('.', { stats: true })).map((entry) => [entry.name, entry]));
    expect(entries.get('a.txt')?.stats).toMatchObject({ kind: 'file', size: 4 });
    expect(entries.get('sub')?.stats?.kind).toBe('directory');
    expect(entries.get('link')).toEqual({ name: 'link', kind: 'link' });
    expect((await scope().list('.')).every(({ stats }) => stats === undefined)).toBe(true);
  });

  test('leaves denied entries out and refuses a denied folder', async () => {
    tree().make({ 'a.txt': '', '.env': '', secret: { 'b.txt': '' }, sub: { '.env': '', 'c.txt': '' } });
    const denying = scopeOf(tree().inside, { platform, rules: { deny: ['.env', 'secret'] } });
    expect(await namesIn(denying)).toEqual(['a.txt', 'sub']);
    expect(await namesIn(denying, 'sub')).toEqual(['c.txt']);
    expect(await codeOf(denying.list('secret'))).toBe('denied');
  });

  test('leaves the secrets of a broad root out', async () => {
    tree().make({ 'a.txt': '', '.ssh': { id_rsa: '' }, '.env.local': '', 'server.key': '' });
    const broad = new Scope({ roots: [rootAt(tree().inside, { broad: true })], platform });
    expect(await namesIn(broad)).toEqual(['a.txt']);
    expect(await codeOf(broad.list('.ssh'))).toBe('denied');
    expect(await namesIn(scope())).toEqual(['.env.local', '.ssh', 'a.txt', 'server.key']);
  });

  test('refuses a file, also with a trailing slash, a missing folder and one outside', async () => {
    tree().make({ 'a.txt': '' });
    tree().link('out', tree().outside);
    expect(await codeOf(scope().list('a.txt'))).toBe('not-a-directory');
    expect(await codeOf(scope().list('a.txt/'))).toBe('not-a-directory');
    expect(await codeOf(scope().list('none'))).toBe('not-found');
    expect(await codeOf(scope().list('out'))).toBe('outside-roots');
    expect(await codeOf(scope().list('out/'))).toBe('outside-roots');
    expect(await codeOf(scope().list('..'))).toBe('outside-roots');
  });

  test('stops with the reason of its signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(scope().list('.', { signal })).rejects.toBe(signal.reason);
  });
});

test.runIf(process.platform === 'linux')(
  'Scope.list() of "/" leaves out the interfaces of the kernel',
  async () => {
    const everything = new Scope({ roots: [rootAt('/', { broad: true })] });
    const names = (await everything.list('/')).map(({ name }) => name);
    expect(names).toContain('etc');
    expect(names).not.toContain('proc');
    expect(names).not.toContain('sys');
    expect(names).not.toContain('dev');
    expect(await codeOf(everything.list('/proc'))).toBe('outside-roots');
  },
);

test('Scope.list() and Scope.walk() are sorted by name, unless the order of the disk is asked for', async () => {
  const names = Array.from({ length: 40 }, (_, index) => `${(index * 17) % 40}.txt`);
  tree().make({ ...Object.fromEntries(names.map((name) => [name, ''])), b: { y: '', x: '' }, a: { z: '' } });
  const scope = scopeOf(tree().inside);
  const sorted = [...names, 'a', 'b'].sort();
  expect((await scope.list('.')).map(({ name }) => name)).toEqual(sorted);
  const unordered = (await scope.list('.', { order: 'disk' })).map(({ name }) => name);
  expect(unordered.sort()).toEqual(sorted);
  const walked: string[] = [];
  for await (const { relative } of scope.walk('.')) walked.push(relative);
  expect(walked).toEqual([...sorted, 'a/z', 'b/x', 'b/y']);
});
