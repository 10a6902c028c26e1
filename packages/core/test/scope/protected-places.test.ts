import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canonicalPlaces } from '../../src/protected/canonical-places.js';
import { protectedPlaces } from '../../src/protected/register.js';
import { STEERING_PLACES } from '../../src/protected/steering.js';
import { Scope } from '../../src/scope/scope.js';
import { codeOf, refusalOf, rootAt, useTree } from './fixture.js';

const tree = useTree();
const SPELLINGS: readonly (readonly [string, (path: string) => string])[] = [
  ['as it is', (path) => path],
  ['in capitals', (path) => path.toUpperCase()],
  ['with letters that a disk may fold', (path) => path.replaceAll('s', 'ſ').replaceAll('k', '\u212A')],
];

describe.each(SPELLINGS)('Scope refuses to make, change, move and remove, %s:', (_what, spell) => {
  test.each(STEERING_PLACES.map(({ path, reason }) => [path, reason] as const))(
    '%s',
    async (path, reason) => {
      const scope = new Scope({ roots: [rootAt(tree().inside)] });
      tree().make({ 'plain.txt': 'plain', sub: {} });
      const target = tree().in('sub', spell(path.replace('*', 'x')));
      mkdirSync(dirname(target), { recursive: true });
      const refused = await refusalOf(scope.write(target, 'x'));
      expect(refused).toMatchObject({ code: 'protected' });
      expect(refused.message).toContain(reason);
      const attempts = [
        () => scope.mkdir(target),
        () => scope.mkdir(join(target, 'below'), { recursive: true }),
        () => scope.copy('plain.txt', target),
        () => scope.rename('plain.txt', target),
        () => scope.restore(target, { kind: 'file', mode: 0o644, bytes: Buffer.from('x') }),
      ];
      for (const attempt of attempts) expect(await codeOf(attempt())).toBe('protected');
      writeFileSync(target, 'kept');
      expect((await scope.readText(target)).text).toBe('kept');
      const changes = [
        () => scope.write(target, 'x'),
        () => scope.write(target, 'x', { mode: 'append' }),
        () => scope.update(target, () => 'x'),
        () => scope.rename(target, tree().in('moved')),
        () => scope.rename('sub', 'other'),
        () => scope.remove(target),
        () => scope.remove('sub', { recursive: true }),
      ];
      for (const change of changes) expect(await codeOf(change())).toBe('protected');
      expect(tree().text(target.slice(tree().inside.length + 1))).toBe('kept');
    },
  );
});

function scopeAt(root: string, named: readonly string[] = []): Scope {
  const places = canonicalPlaces(
    protectedPlaces({
      environment: { XDG_RUNTIME_DIR: tree().in('run') },
      home: tree().in('home'),
      uid: 7,
    }),
  );
  const fence = { homes: [], named: named.map((path) => rootAt(path)), ceiling: [], hinted: [] };
  return new Scope({ roots: [rootAt(root)], rules: { places }, fence });
}

describe('the register of a user', () => {
  test('hides what Rootward keeps, also from an operator who names it, and before it exists', async () => {
    tree().make({ run: {}, home: { '.local': { state: {} } } });
    const state = tree().in('home/.local/state/rootward');
    for (const scope of [
      scopeAt(tree().inside),
      scopeAt(tree().in('home'), [state]),
      scopeAt(state, [state]),
    ]) {
      expect(await codeOf(scope.write(join(state, 'consents/x'), '{}'))).toMatch(
        /^denied$|^outside-roots$|^not-found$/,
      );
    }
    const scope = scopeAt(tree().inside, [state]);
    expect((await refusalOf(scope.mkdir(state, { recursive: true }))).message).toContain('Rootward keeps');
    expect(await codeOf(scope.rename('home/.local', 'home/other'))).toBe('protected');
    mkdirSync(tree().in('run/rootward'));
    expect(await codeOf(scope.stat('run/rootward'))).toBe('denied');
    expect((await scope.list('run')).length).toBe(0);
  });

  test('hides it behind links, whose replacement is refused', async () => {
    tree().make({ home: {}, real: { rootward: { a: 'a' } } });
    symlinkSync('real', tree().in('run'));
    const scope = scopeAt(tree().inside);
    expect(await codeOf(scope.readText('run/rootward/a'))).toBe('denied');
    expect(await codeOf(scope.readText('real/rootward/a'))).toBe('denied');
    expect(await codeOf(scope.remove('run'))).toBe('protected');
    expect(await codeOf(scope.rename('run', 'x'))).toBe('protected');
  });

  test('fixes start-up files at home, unless the operator named their folder', async () => {
    tree().make({ home: { '.bashrc': '', '.config': { nvim: { 'init.lua': '' } }, app: { '.bashrc': '' } } });
    const scope = scopeAt(tree().in('home'));
    expect((await refusalOf(scope.write('.bashrc', 'x'))).message).toContain('shells run it when they start');
    expect((await scope.readText('.bashrc')).text).toBe('');
    expect(await codeOf(scope.write('.config/nvim/init.lua', 'x'))).toBe('protected');
    await scope.write('app/.bashrc', 'x');
    const nvim = tree().in('home/.config/nvim');
    expect(await codeOf(scopeAt(nvim).write('init.lua', 'x'))).toBe('protected');
    await scopeAt(nvim, [nvim]).write('init.lua', 'x');
  });
});
