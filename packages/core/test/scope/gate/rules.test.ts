import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { OperatorLimits } from '../../../src/roots/operator-limits.js';
import type { Root } from '../../../src/roots/root.js';
import { WORKSPACE_RULES_FILE } from '../../../src/protected/steering.js';
import { RuleBook, type Placement, type ScopeRules } from '../../../src/scope/gate/rules.js';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, platforms, rootAt, useTree } from '../fixture.js';

const tree = useTree();

function placed(path: string, ...roots: Root[]): Placement {
  return { path, roots };
}

describe('RuleBook', () => {
  const work = rootAt('/data');
  const inner = rootAt('/data/inner');

  test('without rules refuses nothing in a plain root', () => {
    const rules = new RuleBook({});
    expect(rules.refuseRead(placed('/data/.env', work))).toBeUndefined();
    expect(rules.refuseChange(placed('/data/.env', work))).toBeUndefined();
    expect(rules.refuseMove(placed('/data/.env', work))).toBeUndefined();
  });

  test('guards a broad root, and what a nested root shares with it', () => {
    const rules = new RuleBook({});
    const broad = rootAt('/data', { broad: true });
    for (const path of ['/data/.ssh/id_rsa', '/data/a/.env', '/data/server.key']) {
      expect(rules.refuseRead(placed(path, broad))?.code).toBe('denied');
    }
    expect(rules.refuseRead(placed('/data/inner/.env', inner, broad))?.code).toBe('denied');
    expect(rules.refuseRead(placed('/data/inner/.env', inner))).toBeUndefined();
  });

  test('matches globs against every root that contains a path', () => {
    const rules = new RuleBook({ deny: ['gen/a.txt'] });
    expect(rules.refuseRead(placed('/data/inner/gen/a.txt', inner, work))?.code).toBe('denied');
    expect(rules.refuseRead(placed('/data/inner/gen/a.txt', work))).toBeUndefined();
  });

  test('matches globs against the name of a single-file root', () => {
    const rules = new RuleBook({ deny: ['*.pem', 'sub/b.txt'] });
    expect(rules.refuseRead(placed('/etc/a.pem', rootAt('/etc/a.pem', { kind: 'file' })))?.code).toBe(
      'denied',
    );
    expect(rules.refuseRead(placed('/etc/a.txt', rootAt('/etc/a.txt', { kind: 'file' })))).toBeUndefined();
  });

  test('adds the globs of one root to those of all, for that root only', () => {
    const rules = new RuleBook({ deny: ['a'], inFolder: new Map([['/data', { deny: ['b'] }]]) });
    const other = rootAt('/other');
    expect(rules.refuseRead(placed('/data/a', work))).toEqual({ code: 'denied', pattern: 'a' });
    expect(rules.refuseRead(placed('/data/b', work))).toEqual({ code: 'denied', pattern: 'b' });
    expect(rules.refuseRead(placed('/other/a', other))?.code).toBe('denied');
    expect(rules.refuseRead(placed('/other/b', other))).toBeUndefined();
  });

  test('forbids changes where any root around the path is read-only', () => {
    const rules = new RuleBook({});
    const fixed = rootAt('/data', { access: 'read-only' });
    expect(rules.refuseChange(placed('/data/inner/a', inner, fixed))).toEqual({ code: 'read-only' });
    expect(rules.refuseRead(placed('/data/inner/a', inner, fixed))).toBeUndefined();
    expect(new RuleBook({ readOnly: true }).refuseChange(placed('/data/a', work))).toEqual({
      code: 'read-only',
    });
  });

  test('protects the file with the rules of a workspace, in any letter case and at any depth', () => {
    const rules = new RuleBook({});
    for (const name of [WORKSPACE_RULES_FILE, '.ROOTWARD.JSON', `a/b/${WORKSPACE_RULES_FILE}`]) {
      expect(rules.refuseChange(placed(`/data/${name}`, work))?.code).toBe('protected');
      expect(rules.refuseRead(placed(`/data/${name}`, work))).toBeUndefined();
    }
    expect(rules.refuseChange(placed('/data/rootward.json', work))).toBeUndefined();
  });

  test('protects files and folders by path, and what holds them from being moved', () => {
    const rules = new RuleBook({ protect: ['/data/project/tools', '/data/conf/rootward.json'] });
    const change = (path: string): string | undefined => rules.refuseChange(placed(path, work))?.code;
    const move = (path: string): string | undefined => rules.refuseMove(placed(path, work))?.code;
    expect(change('/data/project/tools')).toBe('protected');
    expect(change('/data/project/tools/deep/run.sh')).toBe('protected');
    expect(change('/data/project/tools2')).toBeUndefined();
    expect(change('/data/project')).toBeUndefined();
    expect(move('/data/project')).toBe('protected');
    expect(move('/data/conf')).toBe('protected');
    expect(move('/data')).toBe('protected');
    expect(move('/data/con')).toBeUndefined();
  });
});

/** Every operation that changes something, as an attempt on `path` (which exists) in a scope. */
const CHANGES: readonly (readonly [
  string,
  (scope: Scope, path: string, spare: string) => Promise<unknown>,
])[] = [
  ['overwrite', (scope, path) => scope.write(path, 'changed')],
  ['append', (scope, path) => scope.write(path, 'changed', { mode: 'append' })],
  ['open to write', (scope, path) => scope.open(path, { access: 'read-write' })],
  ['open to append', (scope, path) => scope.open(path, { access: 'append' })],
  ['copy onto', (scope, path, spare) => scope.copy(spare, path, { overwrite: true })],
  ['rename from', (scope, path) => scope.rename(path, `${path}.moved`)],
  ['rename onto', (scope, path, spare) => scope.rename(spare, path, { overwrite: true })],
  ['remove', (scope, path) => scope.remove(path)],
  ['remove recursively', (scope, path) => scope.remove(path, { recursive: true })],
];

/** Every operation that makes something, as an attempt on `path` (which does not exist). */
const CREATIONS: readonly (readonly [
  string,
  (scope: Scope, path: string, spare: string) => Promise<unknown>,
])[] = [
  ['write new', (scope, path) => scope.write(path, 'new', { mode: 'new' })],
  ['write', (scope, path) => scope.write(path, 'new')],
  ['append', (scope, path) => scope.write(path, 'new', { mode: 'append' })],
  ['mkdir', (scope, path) => scope.mkdir(path)],
  ['mkdir recursive', (scope, path) => scope.mkdir(path, { recursive: true })],
  ['copy to', (scope, path, spare) => scope.copy(spare, path)],
  ['rename to', (scope, path, spare) => scope.rename(spare, path)],
];

/** What rules files, which are read, can hold. */
const KEPT = '{ "categories": {} }';

describe.each(platforms)('rules on the %s platform', (_name, platform) => {
  const scopeWith = (rules: ScopeRules, overrides: Partial<Root> = {}): Scope =>
    new Scope({ roots: [rootAt(tree().inside, overrides)], rules, platform });

  test.each(CHANGES)('a read-only root refuses to %s and stays as it is', async (_operation, attempt) => {
    tree().make({ 'a.txt': 'kept', 'spare.txt': 'spare' });
    for (const fixed of [scopeWith({}, { access: 'read-only' }), scopeWith({ readOnly: true })]) {
      expect(await codeOf(attempt(fixed, 'a.txt', 'spare.txt'))).toBe('read-only');
    }
    expect(tree().names()).toEqual(['a.txt', 'spare.txt']);
    expect(tree().text('a.txt')).toBe('kept');
  });

  test.each(CREATIONS)('a read-only root refuses to %s and stays as it is', async (_operation, attempt) => {
    tree().make({ 'spare.txt': 'spare' });
    for (const fixed of [scopeWith({}, { access: 'read-only' }), scopeWith({ readOnly: true })]) {
      expect(await codeOf(attempt(fixed, 'new', 'spare.txt'))).toBe('read-only');
    }
    expect(tree().names()).toEqual(['spare.txt']);
  });

  test('a read-only root can be read', async () => {
    tree().make({ 'a.txt': 'text', sub: {} });
    const fixed = scopeWith({}, { access: 'read-only' });
    expect((await fixed.readText('a.txt')).text).toBe('text');
    expect(await fixed.list('.')).toHaveLength(2);
    expect(await fixed.mkdir('sub', { recursive: true })).toEqual({ created: false });
  });

  test('a read-only root stays read-only through a nested root, and a nested one within a writable root', async () => {
    tree().make({ nested: { 'a.txt': 'kept' }, 'b.txt': '' });
    const outerFixed = new Scope({
      roots: [rootAt(tree().in('nested')), rootAt(tree().inside, { access: 'read-only' })],
      platform,
    });
    const innerFixed = new Scope({
      roots: [rootAt(tree().inside), rootAt(tree().in('nested'), { access: 'read-only' })],
      platform,
    });
    for (const scope of [outerFixed, innerFixed]) {
      expect(await codeOf(scope.write(tree().in('nested/a.txt'), 'x'))).toBe('read-only');
      expect(await codeOf(scope.write(tree().in('nested/new.txt'), 'x'))).toBe('read-only');
      expect(await codeOf(scope.rename(tree().in('nested'), tree().in('moved')))).toMatch(
        /read-only|not-permitted/,
      );
    }
    await innerFixed.write('b.txt', 'x');
    expect(tree().text('nested/a.txt')).toBe('kept');
  });

  describe.each([
    ['the rules of a workspace', WORKSPACE_RULES_FILE, {}],
    ['the rules of a workspace below a folder', `sub/${WORKSPACE_RULES_FILE}`, {}],
    ['the configuration of a client', '.mcp.json', {}],
    ['the configuration of a client below a folder', 'sub/.vscode/mcp.json', {}],
    ['the hooks of a client', '.claude/settings.local.json', {}],
    ['a hook of git', '.git/hooks/pre-commit', {}],
    ['the configuration of git, however it is written', '.GIT/config', {}],
    ['a protected file', 'sub/conf.json', { file: 'sub/conf.json' }],
    ['a file in a protected folder', 'sub/tools/run.sh', { file: 'sub/tools' }],
  ] as const)('for %s', (_what, name, { file }: { file?: string }) => {
    const guarded = (): Scope => scopeWith(file === undefined ? {} : { protect: [tree().in(file)] });

    test.each(CHANGES)('refuses to %s', async (_operation, attempt) => {
      tree().make({ [name]: KEPT, 'spare.txt': 'spare' });
      expect(await codeOf(attempt(guarded(), name, 'spare.txt'))).toBe('protected');
      expect(tree().text(name)).toBe(KEPT);
      expect(tree().text('spare.txt')).toBe('spare');
    });

    test.each(CREATIONS)('refuses to %s', async (_operation, attempt) => {
      tree().make({ sub: { tools: {} }, 'spare.txt': 'spare' });
      mkdirSync(dirname(tree().in(name)), { recursive: true });
      const before = tree().names();
      expect(await codeOf(attempt(guarded(), name, 'spare.txt'))).toBe('protected');
      expect(tree().names()).toEqual(before);
      expect(existsSync(tree().in(name))).toBe(false);
    });

    test('can be read, and not changed through a link', async () => {
      tree().make({ [name]: KEPT });
      tree().link('link', name);
      expect((await guarded().readText(name)).text).toBe(KEPT);
      expect(await codeOf(guarded().write('link', 'x'))).toBe('protected');
      expect(await codeOf(guarded().write('link', 'x', { mode: 'append' }))).toBe('protected');
      expect(tree().text(name)).toBe(KEPT);
    });
  });

  test('what holds a protected file or folder cannot be moved, replaced or removed', async () => {
    tree().make({ a: { b: { tools: { 'run.sh': '' }, 'x.txt': '' } }, other: { 'y.txt': '' } });
    const guarded = scopeWith({ protect: [tree().in('a/b/tools')] });
    for (const path of ['a', 'a/b', 'a/b/tools']) {
      expect(await codeOf(guarded.rename(path, 'moved'))).toBe('protected');
      expect(await codeOf(guarded.remove(path, { recursive: true }))).toBe('protected');
    }
    await guarded.remove('a/b/x.txt');
    await guarded.rename('other', 'a/other');
    expect(tree().names(tree().in('a/b'))).toEqual(['tools']);
  });

  test('a folder cannot be moved to where a protected file is expected', async () => {
    tree().make({ planted: { 'conf.json': 'planted' } });
    const guarded = scopeWith({ protect: [tree().in('a/conf.json')] });
    expect(await codeOf(guarded.rename('planted', 'a'))).toBe('protected');
    expect(tree().names()).toEqual(['planted']);
  });

  test('a folder with the rules of a workspace in it is not removed, not even in part', async () => {
    tree().make({ sub: { 'a.txt': '', deep: { [WORKSPACE_RULES_FILE]: '{}' }, 'z.txt': '' } });
    expect(await codeOf(scopeWith({}).remove('sub', { recursive: true }))).toBe('protected');
    expect(tree().names(tree().in('sub'))).toEqual(['a.txt', 'deep', 'z.txt']);
  });

  test.each([...CHANGES, ['read', (scope: Scope, path: string) => scope.readText(path)] as const])(
    'what is denied refuses to %s, directly and through a link',
    async (_operation, attempt) => {
      tree().make({ secret: { 'a.txt': 'kept' }, 'spare.txt': 'spare' });
      tree().link('folder', 'secret');
      const denying = scopeWith({ deny: ['secret'] });
      for (const path of ['secret/a.txt', 'folder/a.txt']) {
        expect(await codeOf(attempt(denying, path, 'spare.txt'))).toBe('denied');
      }
      expect(tree().text('secret/a.txt')).toBe('kept');
    },
  );

  test.each(CREATIONS)('what is denied refuses to %s', async (_operation, attempt) => {
    tree().make({ secret: {}, 'spare.txt': 'spare' });
    const denying = scopeWith({ deny: ['secret', '*.key'] });
    for (const path of ['secret/new', 'new.key']) {
      expect(await codeOf(attempt(denying, path, 'spare.txt'))).toBe('denied');
    }
    expect(tree().names()).toEqual(['secret', 'spare.txt']);
    expect(tree().names(tree().in('secret'))).toEqual([]);
  });

  test('a root whose name holds glob characters is matched as a name, not as a glob', async () => {
    tree().make({ 'root[1]': { 'a.txt': 'mine', '.env': '' }, root1: { 'a.txt': 'not mine' } });
    const bracket = new Scope({ roots: [rootAt(tree().in('root[1]'))], rules: { deny: ['.env'] }, platform });
    expect((await bracket.readText('a.txt')).text).toBe('mine');
    expect(await codeOf(bracket.readText('.env'))).toBe('denied');
    expect(await codeOf(bracket.readText(tree().in('root1/a.txt')))).toBe('outside-roots');
  });

  test('a denied single-file root stays denied', async () => {
    tree().make({ '.env': 'secret' });
    const one = new Scope({
      roots: [rootAt(tree().in('.env'), { kind: 'file' })],
      rules: { deny: ['.env'] },
      platform,
    });
    expect(await codeOf(one.readText(tree().in('.env')))).toBe('denied');
    expect(one.contains(tree().in('.env'))).toBe(false);
  });
});

/** Mostly none, so that each kind of rule is met alone. */
const few = <Value>(each: fc.Arbitrary<Value>): fc.Arbitrary<readonly Value[]> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, fc.array(each, { minLength: 1, maxLength: 2 }));
const asFolders = (given: readonly { path: string; broad: boolean }[]) =>
  given.map(({ path, broad }) => ({ path, broad, kind: 'directory' as const }));

describe('RuleBook.refuserOfEntries()', () => {
  const folders = ['/', '/home', '/home/me', '/home/me/.ssh', '/home/me/app', '/home/me/app/src', '/other'];
  const names = ['a', 'app', 'src', 'me', '.ssh', '.env', '.npmrc', 'key.pem', 'credentials'];
  const entries = folders.flatMap((folder) =>
    names.map((name) => (folder === '/' ? `/${name}` : `${folder}/${name}`)),
  );
  const place = fc.constantFrom(...folders, ...entries);
  const rootIn = fc.record({
    path: place,
    broad: fc.constantFrom(false, false, true),
    standsFor: fc.constantFrom(undefined, undefined, undefined, '/other', '/home/me/app'),
  });
  const folderIn = fc.record({ path: fc.constantFrom(...folders), broad: fc.boolean() });

  test('refuses each entry as refuseRead() does, also after the operator took something away', () => {
    fc.assert(
      fc.property(
        fc.record({
          deny: few(fc.constantFrom('*.pem', '/src', 'app/src')),
          denyAbsolute: few(place),
          inFolder: few(place),
          limited: few(place),
          later: few(place),
          named: few(folderIn),
          ceiling: few(folderIn),
          homes: fc.constantFrom([], ['/home/me']),
          roots: fc.array(rootIn, { minLength: 1, maxLength: 2 }),
          folder: fc.constantFrom(...folders),
        }),
        ({ deny, denyAbsolute, inFolder, limited, later, named, ceiling, homes, roots, folder }) => {
          const limits = new OperatorLimits();
          for (const path of limited) limits.set(path, 'revoked');
          const own = roots.map(({ path, broad, standsFor }) =>
            rootAt(path, { broad, ...(standsFor !== undefined && { standsFor }) }),
          );
          const rules = new RuleBook(
            {
              deny,
              denyAbsolute,
              limits,
              inFolder: new Map(inFolder.map((path) => [path, { deny: ['a'] }])),
            },
            { homes, named: asFolders(named), ceiling: asFolders(ceiling), hinted: [] },
            own,
          );
          const refuse = rules.refuserOfEntries(placed(folder, ...own), []);
          const seen = new Map([[folder, []]]);
          const paths = names.map((name) => (folder === '/' ? `/${name}` : `${folder}/${name}`));
          const compare = (): void =>
            expect(paths.map(refuse)).toEqual(
              paths.map((path) => rules.refuseRead(placed(path, ...own), seen)),
            );
          compare();
          for (const path of later) limits.set(path, 'revoked');
          compare();
        },
      ),
      { numRuns: 3000 },
    );
  });
});
