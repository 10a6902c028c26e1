import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Fence } from '../../../src/roots/fence.js';
import type { Root } from '../../../src/roots/root.js';
import { protectedPlaces } from '../../../src/protected/register.js';
import type { ScopeRules } from '../../../src/scope/gate/rules.js';
import { Scope } from '../../../src/scope/scope.js';
import { codeOf, rootAt, useTree } from '../fixture.js';

const tree = useTree();

interface Named {
  readonly named?: readonly Root[];
  readonly ceiling?: readonly Root[];
  readonly home?: string;
}

function fenceOf({ named = [], ceiling = [], home }: Named): Fence {
  return { homes: home === undefined ? [] : [home], named, ceiling, hinted: [] };
}

const at = (path: string, overrides: Partial<Root> = {}): Root => rootAt(tree().in(path), overrides);
const broad = (): Root => at('.', { broad: true });

/** What a client may choose when the operator named `repo`: narrower, wider, beside it, the place itself. */
const CHOICES: readonly (readonly [string, readonly string[]])[] = [
  ['the same', ['repo']],
  ['a narrower one', ['repo/config']],
  ['the denied folder', ['repo/config/private']],
  ['a wider one', ['.']],
  ['a sibling and a narrower one', ['other', 'repo/config']],
];

/** A rule about `repo/config/private`, and what it refuses there. */
const RULES: readonly (readonly [string, () => ScopeRules, 'denied' | 'read-only'])[] = [
  ['deny', () => ({ deny: ['config/private'] }), 'denied'],
  ['deny by name', () => ({ deny: ['private'] }), 'denied'],
  ['deny absolutely', () => ({ denyAbsolute: [tree().in('repo/config/private')] }), 'denied'],
  [
    'deny in a folder',
    () => ({ inFolder: new Map([[tree().in('repo'), { deny: ['config/private'] }]]) }),
    'denied',
  ],
  [
    'make a folder read-only',
    () => ({ inFolder: new Map([[tree().in('repo'), { readOnly: true }]]) }),
    'read-only',
  ],
];

const READS: readonly (readonly [string, (scope: Scope, folder: string) => Promise<unknown>])[] = [
  ['read', (scope, folder) => scope.readText(`${folder}/key.txt`)],
  ['read bytes of', (scope, folder) => scope.readBytes(`${folder}/key.txt`)],
  ['open', async (scope, folder) => (await scope.open(`${folder}/key.txt`)).close()],
  ['inspect', (scope, folder) => scope.stat(`${folder}/key.txt`)],
  ['locate', async (scope, folder) => scope.locate(`${folder}/key.txt`)],
  ['list', (scope, folder) => scope.list(folder)],
  ['walk', (scope, folder) => scope.walk(folder).next()],
  ['copy from', (scope, folder) => scope.copy(`${folder}/key.txt`, `${folder}/copy.txt`)],
];

const CHANGES: readonly (readonly [string, (scope: Scope, folder: string) => Promise<unknown>])[] = [
  ['write', (scope, folder) => scope.write(`${folder}/key.txt`, 'x')],
  ['create', (scope, folder) => scope.write(`${folder}/new.txt`, 'x')],
  ['append to', (scope, folder) => scope.write(`${folder}/key.txt`, 'x', { mode: 'append' })],
  ['open to write', (scope, folder) => scope.open(`${folder}/key.txt`, { access: 'read-write' })],
  ['make a folder in', (scope, folder) => scope.mkdir(`${folder}/new`)],
  ['rename', (scope, folder) => scope.rename(`${folder}/key.txt`, `${folder}/moved.txt`)],
  ['remove', (scope, folder) => scope.remove(`${folder}/key.txt`)],
];

describe.each(RULES)('A rule of the operator to %s', (_rule, rules, code) => {
  describe.each(CHOICES)('where the root is %s', (_choice, chosen) => {
    const scope = (): Scope =>
      new Scope({
        roots: chosen.map((path) => at(path)),
        rules: rules(),
        fence: fenceOf({ named: [at('repo')] }),
      });
    const attempts = code === 'denied' ? [...READS, ...CHANGES] : CHANGES;

    test.each(attempts)('refuses to %s', async (_operation, attempt) => {
      tree().make({ repo: { config: { private: { 'key.txt': 'kept' } } }, other: {} });
      expect(await codeOf(attempt(scope(), tree().in('repo/config/private')))).toBe(code);
      expect(tree().text('repo/config/private/key.txt')).toBe('kept');
      expect(tree().names(tree().in('repo/config/private'))).toEqual(['key.txt']);
    });
  });
});

describe('Credentials of the home directory', () => {
  const files = { '.ssh': { id_rsa: 'key', config: 'c' }, app: { '.env': 'e' }, '.npmrc': 'token' };

  test.each([
    ['the place itself', '.ssh', '.ssh/id_rsa'],
    ['a file of it', '.ssh/id_rsa', '.ssh/id_rsa'],
    ['the home directory', '.', '.npmrc'],
    ['one file', '.npmrc', '.npmrc'],
  ])('are out of reach where the root of a client is %s', async (_which, root, path) => {
    tree().make(files);
    const kind = root === '.ssh' || root === '.' ? ('directory' as const) : ('file' as const);
    for (const named of [[at('.', { broad: true })], [], [at('app')]]) {
      const fence = fenceOf({ named, home: tree().inside });
      const scope = new Scope({ roots: [at(root, { kind, broad: root === '.' })], fence });
      expect(await codeOf(scope.readText(tree().in(path)))).toBe('denied');
    }
  });

  test('are in reach where the operator named that very path, and nothing beside it', async () => {
    tree().make(files);
    const roots = [at('.ssh/config', { kind: 'file' }), at('.ssh')];
    const scope = (named: readonly Root[]) =>
      new Scope({ roots, fence: fenceOf({ named, home: tree().inside }) });
    expect((await scope([at('.ssh')]).readText(tree().in('.ssh/id_rsa'))).text).toBe('key');
    const one = scope([at('.ssh/config', { kind: 'file' })]);
    expect((await one.readText(tree().in('.ssh/config'))).text).toBe('c');
    expect(await codeOf(one.readText(tree().in('.ssh/id_rsa')))).toBe('denied');
  });

  test('are found under both names of a home directory that is reached through a link', async () => {
    tree().make(files);
    symlinkSync(tree().inside, tree().out('home'));
    const scope = new Scope({
      roots: [at('.ssh')],
      fence: { ...fenceOf({}), homes: [tree().out('home'), tree().inside] },
    });
    expect(await codeOf(scope.readText('id_rsa'))).toBe('denied');
  });

  test('include what clients and this product keep', () => {
    const places = protectedPlaces({ environment: {}, home: '/home/me', platform: 'linux' });
    const hidden = places.filter(({ protection }) => protection === 'hidden').map(({ path }) => path);
    for (const place of [
      '.claude/.credentials.json',
      '.codex/auth.json',
      '.gemini/oauth_creds.json',
      '.config/rootward',
      '.local/state/rootward',
    ]) {
      expect(hidden).toContain(`/home/me/${place}`);
    }
  });
});

describe('Names of secrets', () => {
  const files = { app: { '.env': 'e', 'a.txt': 'a', sub: { 'x.key': 'k' } } };

  test.each([
    ['a broad root of the operator', () => fenceOf({ named: [broad()] })],
    ['a broad ceiling', () => fenceOf({ ceiling: [broad()] })],
    ['both, with the project named too', () => fenceOf({ named: [broad(), at('app')], ceiling: [broad()] })],
  ])('are denied in what a client narrows out of %s', async (_what, fence) => {
    tree().make(files);
    for (const root of ['app', 'app/sub']) {
      const scope = new Scope({ roots: [at(root)], fence: fence() });
      expect(await codeOf(scope.readText(tree().in('app/sub/x.key')))).toBe('denied');
    }
    const scope = new Scope({ roots: [at('app')], fence: fence() });
    expect(await codeOf(scope.readText('.env'))).toBe('denied');
    expect((await scope.readText('a.txt')).text).toBe('a');
  });

  test('are readable in a project, also one that the operator named below a broad ceiling', async () => {
    tree().make(files);
    for (const fence of [fenceOf({}), fenceOf({ named: [at('app')], ceiling: [broad()] })]) {
      expect((await new Scope({ roots: [at('app')], fence }).readText('.env')).text).toBe('e');
    }
  });
});

test('denyAbsolute refuses a path that is not absolute, and finds one behind a link', async () => {
  tree().make({ real: { 'a.txt': 'a' } });
  tree().link('link', 'real');
  const scope = new Scope({ roots: [at('.')], rules: { denyAbsolute: [tree().in('link')] } });
  expect(await codeOf(scope.readText('real/a.txt'))).toBe('denied');
  expect(() => new Scope({ roots: [at('.')], rules: { denyAbsolute: ['real'] } })).toThrow(
    'not an absolute path',
  );
});

function readOrCode(scope: Scope, path: string): Promise<string> {
  return scope.readText(tree().in(path)).then(
    ({ text }) => text,
    (error: unknown) => codeOf(Promise.reject(error)),
  );
}

function readBoth(scope: Scope): Promise<readonly string[]> {
  return Promise.all(['.ssh/id', 'repo/a.txt'].map((path) => readOrCode(scope, path)));
}

describe('scopes of one fence', () => {
  test('all refuse credentials, and what one denies is no rule of another', async () => {
    tree().make({ '.ssh/id': 'secret', 'repo/a.txt': 'a' });
    const fence: Fence = { homes: Object.freeze([tree().in('.')]), named: [], ceiling: [], hinted: [] };
    const roots = [at('.')];
    const strict = new Scope({
      roots,
      fence,
      rules: { denyAbsolute: [tree().in('.ssh'), tree().in('repo')] },
    });
    expect(await readBoth(strict)).toEqual(['denied', 'denied']);
    expect(await readBoth(new Scope({ roots, fence }))).toEqual(['denied', 'a']);
    // Nor does a folder that the operator named for one open it for another.
    const named = new Scope({ roots, fence: { ...fence, named: [at('.ssh')] } });
    expect(await readBoth(named)).toEqual(['secret', 'a']);
    expect(await readBoth(new Scope({ roots, fence }))).toEqual(['denied', 'a']);
  });

  test('a list of homes that grows counts as it is', async () => {
    tree().make({ 'repo/.ssh/id': 'secret' });
    const grows: string[] = [];
    const fence: Fence = { homes: grows, named: [], ceiling: [], hinted: [] };
    const roots = [at('.')];
    expect(await readOrCode(new Scope({ roots, fence }), 'repo/.ssh/id')).toBe('secret');
    grows.push(tree().in('repo'));
    expect(await readOrCode(new Scope({ roots, fence }), 'repo/.ssh/id')).toBe('denied');
  });
});
