import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Gate } from '../../../src/scope/gate/gate.js';
import { systemPlatform } from '../../../src/scope/pin/system.js';
import type { ScopeRules } from '../../../src/scope/gate/rules.js';
import { Scope } from '../../../src/scope/scope.js';
import { pathToFileUri } from '../../../src/uri/file-uri.js';
import { codeOf, platforms, refusalOf, rootAt, scopeOf, useTree } from '../fixture.js';
import { counting } from '../wrapped-platform.js';

const tree = useTree();
const isPosix = process.platform !== 'win32';

describe.each(platforms)('relative paths on the %s platform', (_name, platform) => {
  const twoRoots = (): Scope =>
    new Scope({ roots: [rootAt(tree().in('one')), rootAt(tree().in('two'))], platform });

  test('are changed in the first root only, whichever operation it is', async () => {
    tree().make({ one: { 'a.txt': 'a' }, two: { 'only.txt': 'two', folder: {} } });
    const scope = twoRoots();
    const changes: readonly (() => Promise<unknown>)[] = [
      () => scope.write('only.txt', 'x'),
      () => scope.write('only.txt', 'x', { mode: 'append' }),
      () => scope.mkdir('folder'),
      () => scope.mkdir('folder', { recursive: true }),
      () => scope.rename('only.txt', 'moved.txt'),
      () => scope.rename('a.txt', 'only.txt', { overwrite: true }),
      () => scope.copy('a.txt', 'only.txt', { overwrite: true }),
      () => scope.remove('only.txt'),
      () => scope.remove('folder', { recursive: true }),
      () => Promise.resolve().then(() => scope.locate('only.txt', 'change')),
    ];
    for (const change of changes) {
      const refusal = await refusalOf(change());
      expect(refusal.code).toBe('ambiguous');
      expect(refusal.instruction).toMatch(/^Pass the absolute path: ".*two.(?:only\.txt|folder)"/);
    }
    expect(tree().text('two/only.txt')).toBe('two');
    expect(scope.elsewhere('only.txt')).toBe(tree().in('two/only.txt'));
    for (const path of ['a.txt', 'new.txt', tree().in('two/only.txt')]) {
      expect(scope.elsewhere(path)).toBeUndefined();
    }
  });

  test('start at another root where one is named', async () => {
    tree().make({ one: { 'both.txt': 'one' }, two: { 'both.txt': 'two' } });
    const scope = twoRoots().startingAt(tree().in('two'));
    expect((await scope.readText('both.txt')).text).toBe('two');
    await scope.write('new.txt', 'new');
    expect(tree().text('two/new.txt')).toBe('new');
  });

  test('are not looked for behind a link that leads out', async () => {
    tree().make({ one: {}, two: { 'a.txt': 'two' }, 'out.txt': 'out' });
    symlinkSync(tree().in('out.txt'), tree().in('two/link.txt'));
    expect(await codeOf(twoRoots().readText('link.txt'))).toBe('not-found');
    expect(twoRoots().elsewhere('link.txt')).toBeUndefined();
  });

  test('are read in the first root in which they exist', async () => {
    tree().make({ one: { 'both.txt': 'one' }, two: { 'both.txt': 'two', 'only.txt': 'two' } });
    expect((await twoRoots().readText('both.txt')).text).toBe('one');
    expect((await twoRoots().readText('only.txt')).text).toBe('two');
    expect((await twoRoots().readText('./only.txt')).text).toBe('two');
  });

  test('lead to the first directory root when they exist in none', async () => {
    tree().make({ one: {}, two: {}, 'file.txt': '' });
    await twoRoots().write('new.txt', 'new');
    expect(tree().text('one/new.txt')).toBe('new');
    const fileFirst = new Scope({
      roots: [rootAt(tree().in('file.txt'), { kind: 'file' }), rootAt(tree().in('two'))],
      platform,
    });
    await fileFirst.write('new.txt', 'new');
    expect(tree().text('two/new.txt')).toBe('new');
  });

  test('are outside when there are single-file roots only', async () => {
    tree().make({ 'file.txt': '' });
    const fileOnly = new Scope({ roots: [rootAt(tree().in('file.txt'), { kind: 'file' })], platform });
    expect(await codeOf(fileOnly.readText('file.txt'))).toBe('outside-roots');
  });

  test('may go from one root to another, and not out', async () => {
    tree().make({ one: {}, two: { 'a.txt': 'two' }, 'b.txt': '' });
    expect((await twoRoots().readText('../two/a.txt')).text).toBe('two');
    expect(await codeOf(twoRoots().readText('../b.txt'))).toBe('outside-roots');
  });

  test('do not depend on the directory of the process', async () => {
    tree().make({ 'package.json': 'ours' });
    expect((await scopeOf(tree().inside, { platform }).readText('package.json')).text).toBe('ours');
  });

  test('are no addresses of another kind, unless a file is called that', async () => {
    const scope = scopeOf(tree().inside);
    for (const address of ['https://a/b', 'untitled:foo', 'vscode-remote://host/x']) {
      expect(await codeOf(scope.mkdir(address, { recursive: true }))).toBe('not-a-file-uri');
    }
    tree().make({ 'untitled:foo': 'text' });
    expect((await scope.readText('untitled:foo')).text).toBe('text');
  });

  test('keep blanks, quotes, percent signs and what looks like a home directory', async () => {
    for (const name of [' ', "'", 'a ', '%41', '~', '$HOME', '*', 'a#b?c', '-rf', 'C:']) {
      const scope = scopeOf(tree().inside, { platform });
      await scope.write(name, name);
      expect(tree().text(name)).toBe(name);
    }
  });

  test.runIf(isPosix)('in the form of a Windows path are refused, unless a file has that name', async () => {
    const scope = scopeOf(tree().inside, { platform });
    expect(await codeOf(scope.readText('C:\\work\\a.txt'))).toBe('invalid-path');
    expect(await codeOf(scope.write('C:/work', 'x'))).toBe('invalid-path');
    tree().make({ 'C:\\a.txt': 'odd' });
    expect((await scope.readText('C:\\a.txt')).text).toBe('odd');
  });
});

describe.each(platforms)('file URIs on the %s platform', (_name, platform) => {
  const scope = (): Scope => scopeOf(tree().inside, { platform });

  test('are paths, for reading and for writing', async () => {
    await scope().write(pathToFileUri(tree().in('a b#c?d%41.txt')), 'text');
    expect(tree().names()).toEqual(['a b#c?d%41.txt']);
    expect((await scope().readText(pathToFileUri(tree().in('a b#c?d%41.txt')))).text).toBe('text');
    expect(scope().contains(pathToFileUri(tree().inside).replace('file:', 'FILE:'))).toBe(true);
  });

  test('with a query or fragment mean a file of that name, or nothing', async () => {
    tree().make({ 'a#b': 'odd', a: 'plain' });
    const uri = pathToFileUri(tree().inside);
    expect((await scope().readText(`${uri}/a#b`)).text).toBe('odd');
    expect(await codeOf(scope().readText(`${uri}/a#c`))).toBe('ambiguous');
    expect(await codeOf(scope().readText(`${uri}/a?x=1`))).toBe('ambiguous');
    expect(await codeOf(scope().write(`${uri}/a#new`, 'x'))).toBe('ambiguous');
  });

  test('are refused with their own reason, and outside like any path', async () => {
    const uri = pathToFileUri(tree().inside);
    expect(await codeOf(scope().readText('file://server/share'))).toBe('remote-authority');
    expect(await codeOf(scope().readText(`${uri}/a%2Fb`))).toBe('bad-encoding');
    expect(await codeOf(scope().readText(`${uri}/a%00b`))).toBe('bad-encoding');
    expect(await codeOf(scope().readText(`${uri}/%E0%A4%A`))).toBe('bad-encoding');
    expect(await codeOf(scope().readText(`${uri}/../outside/a`))).toBe('outside-roots');
    expect(await codeOf(scope().readText(`${uri}/%2E%2E/outside/a`))).toBe('outside-roots');
    expect(await codeOf(scope().readText('file:///etc/passwd'))).toBe('outside-roots');
  });
});

describe.each(platforms)('Gate on the %s platform', (_name, platform) => {
  const gate = (rules: ScopeRules = {}): Gate => new Gate([rootAt(tree().inside)], rules, platform);

  test('refuses what is no text, also where there are no roots', async () => {
    const scope = scopeOf(tree().inside, { platform });
    for (const path of [undefined, null, 5, {}] as never[]) {
      expect(await codeOf(scope.readText(path))).toBe('invalid-path');
      expect(await codeOf(new Scope({ roots: [], platform }).readText(path))).toBe('invalid-path');
      expect(scope.contains(path)).toBe(false);
    }
  });

  test('refuses the empty path and NUL', async () => {
    expect(await codeOf(() => gate().absolute('read', ''))).toBe('invalid-path');
    expect(await codeOf(() => gate().absolute('read', 'a\0b'))).toBe('invalid-path');
    expect(await codeOf(() => gate().absolute('read', `${tree().inside}\0`))).toBe('invalid-path');
  });

  test.runIf(isPosix)('refuses kernel paths that lead back in, however they are spelled', async () => {
    tree().make({ 'a.txt': '' });
    const back = `/proc/self/root${tree().in('a.txt')}`;
    const up = '../'.repeat(tree().inside.split('/').length);
    const spellings = [back, `/${back}`, `/tmp/..${back}`, `file://${back}`, up + back.slice(1), '/dev/fd/0'];
    for (const path of spellings) {
      expect([path, await codeOf(() => gate().admit('read', path))]).toEqual([path, 'outside-roots']);
    }
  });

  test('admit() gives the canonical place, with every root that contains it', () => {
    tree().make({ nested: { 'a.txt': '' } });
    tree().link('link', 'nested');
    const nested = new Gate([rootAt(tree().inside), rootAt(tree().in('nested'))], {}, platform);
    const { pin, placement } = nested.admit('read', 'link/a.txt');
    pin.close();
    expect(placement.path).toBe(tree().in('nested/a.txt'));
    expect(placement.roots.map((root) => root.path)).toEqual([tree().in('nested'), tree().inside]);
  });

  test('admit() resolves ".." after a link where the link leads, not where it is written', async () => {
    tree().make({ a: { b: { 'x.txt': '' }, 'y.txt': 'in a' }, 'y.txt': 'in the root' });
    tree().link('link', 'a/b');
    const { pin, placement } = gate().admit('read', 'link/../y.txt');
    pin.close();
    expect(placement.path).toBe(tree().in('a/y.txt'));
    tree().link('out', tree().out('deep'));
    tree().make({ deep: {}, 'y.txt': '' }, tree().outside);
    expect(await codeOf(() => gate().admit('read', 'out/../y.txt'))).toBe('outside-roots');
  });

  test('admitEntry() pins the folder and neither needs nor follows the entry', () => {
    tree().link('link', tree().outside);
    for (const name of ['link', 'new', 'new/']) {
      const entry = gate().admitEntry('write', name, 'change');
      entry.parent.close();
      expect(entry.placement.path).toBe(tree().in(name.replace('/', '')));
    }
  });

  test('admitEntry() refuses a path that ends in no name', async () => {
    tree().make({ sub: {} });
    for (const path of ['.', '..', 'sub/.', 'sub/..', 'sub/./', '/']) {
      expect(await codeOf(() => gate().admitEntry('write', path, 'change'))).toBe('invalid-path');
    }
  });

  test('admitEntry() does not give the entry of a root whose folder is out of scope', async () => {
    expect(await codeOf(() => gate().admitEntry('write', tree().inside, 'change'))).toBe('not-permitted');
    expect(await codeOf(() => gate().admitEntry('write', tree().outside, 'change'))).toBe('outside-roots');
  });

  test('resolve() tells what exists and what does not', () => {
    tree().make({ sub: {} });
    const resolution = gate().resolve('create', 'sub/a/./b');
    resolution.pin.close();
    expect(resolution.pin.path).toBe(tree().in('sub'));
    expect(resolution.missing).toEqual(['a', 'b']);
    expect(resolution.placement.path).toBe(tree().in('sub/a/b'));
  });

  test('tells a missing file outside as outside, also behind a link', async () => {
    symlinkSync(tree().outside, tree().in('out'));
    const paths = [
      tree().out('none'),
      '../outside/none',
      'out/none',
      'out/none/deeper',
      join(tree().base, 'none'),
    ];
    for (const path of paths) {
      expect(await codeOf(() => gate().admit('read', path))).toBe('outside-roots');
      expect(await codeOf(() => gate().resolve('create', path))).toBe('outside-roots');
      expect(await codeOf(() => gate().admitEntry('write', path, 'change'))).toBe('outside-roots');
    }
  });

  test('refuses names that are too long', async () => {
    expect(await codeOf(() => gate().admit('read', 'x'.repeat(300)))).toBe('invalid-path');
    expect(await codeOf(() => gate().resolve('create', 'x'.repeat(300)))).toBe('invalid-path');
  });

  test('names the path as it was asked for, never where it leads', async () => {
    tree().link('link', tree().out('secret-name'));
    const refusal = await refusalOf(() => gate().admit('read', 'link'));
    expect(refusal.path).toBe('link');
    expect(refusal.message).not.toContain('secret-name');
  });

  test('holds nothing after a refusal', async () => {
    tree().make({ 'a.txt': '', '.env': '', sub: {} });
    tree().link('out', tree().outside);
    tree().link('dangling', 'missing');
    const held = counting(platform);
    const counted = new Gate([rootAt(tree().inside)], { deny: ['.env'] }, held.platform);
    for (const path of [
      'out',
      'out/a',
      '.env',
      'none',
      'a.txt/b',
      'dangling',
      'dangling/a',
      '..',
      tree().inside,
    ]) {
      const attempts = [
        () => counted.admit('read', path, 'read', { directory: true }).pin.close(),
        () => counted.admitEntry('write', path, 'change').parent.close(),
        () => counted.resolve('create', path).pin.close(),
      ];
      for (const attempt of attempts) {
        try {
          attempt();
        } catch {
          // Which of them are refused is told by the other tests.
        }
        expect(held.now()).toBe(0);
      }
    }
    expect(held.most()).toBeGreaterThan(0);
  });
});

test.runIf(process.platform === 'linux')(
  'a path whose name on disk is not valid UTF-8 is refused as such',
  async () => {
    const bad = Buffer.concat([Buffer.from(tree().in('bad-')), Buffer.from([0xff])]);
    mkdirSync(bad);
    writeFileSync(Buffer.concat([bad, Buffer.from('/a.txt')]), '');
    symlinkSync(bad, tree().in('link'));
    const gate = new Gate([rootAt(tree().inside)], {}, systemPlatform());
    expect(await codeOf(() => gate.admit('read', 'link/a.txt'))).toBe('invalid-path');
  },
);

test('the refusal of a link that leads out says so, the same whatever is there', async () => {
  tree().make({ 'a.txt': '' });
  writeFileSync(tree().out('there.txt'), '');
  tree().link('out', tree().outside);
  tree().link('nowhere', tree().out('missing'));
  const scope = scopeOf(tree().inside);
  for (const path of ['out', 'out/there.txt', 'out/missing.txt', 'nowhere']) {
    const refusal = await refusalOf(scope.readText(path));
    expect(refusal.code).toBe('outside-roots');
    expect(refusal.message).toContain('a link in its path leads outside the roots');
    expect((await refusalOf(() => scope.locate(path))).message).toContain('a link in its path');
  }
  expect((await refusalOf(scope.write('out/new.txt', ''))).message).toContain('a link in its path');
  expect((await refusalOf(scope.readText('../outside/there.txt'))).message).toContain(
    'it is outside the roots',
  );
});
