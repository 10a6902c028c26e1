import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRules } from '../../src/settings/workspace-rules.js';
import { settleCategories } from '../../src/guidance/category.js';

function problemOf(categories: unknown): unknown {
  return Reflect.get(checkRules({ categories }), 'problem');
}

describe('settleCategories()', () => {
  test("the user's categories stand beside the project's and win by name", () => {
    const categories = settleCategories(
      { docs: { dir: './docs/', patterns: ['*.md'], description: 'Manual' }, rules: {} },
      { rules: { dir: 'mine' }, notes: {} },
    );
    expect(categories).toEqual([
      {
        name: 'docs',
        description: 'Manual',
        from: 'project',
        base: 'docs',
        places: [{ dir: 'docs', patterns: ['*.md'] }],
      },
      { name: 'rules', from: 'user', base: 'mine', places: [{ dir: 'mine', patterns: ['*.md'] }] },
      { name: 'notes', from: 'user', base: '', places: [{ dir: '', patterns: ['*.md'] }] },
    ]);
  });

  test('without any, custom says which', () => {
    const names = settleCategories(undefined, {}).map(({ name }) => name);
    expect(names).toEqual(['instructions', 'decisions', 'changelog', 'docs']);
  });
});

describe('categories in a settings file', () => {
  test('the documented form is understood', () => {
    const categories = {
      docs: { dir: 'docs', patterns: ['*.md', 'guides/**/*.{md,txt}'], description: '…' },
    };
    expect(checkRules({ deny: ['x'], readOnly: true, categories })).toEqual({
      deny: ['x'],
      readOnly: true,
      categories,
    });
  });

  test.each([
    ['a list', []],
    ['a name with a slash', { 'a/b': {} }],
    ['an empty name', { '': {} }],
    ['a folder above', { a: { dir: 'docs/../../x' } }],
    ['an absolute folder', { a: { dir: '/etc' } }],
    ['a drive', { a: { dir: 'C:/x' } }],
    ['a folder of another system', { a: { dir: '..\\x' } }],
    ['a pattern above', { a: { patterns: ['../*.md'] } }],
    ['no patterns', { a: { patterns: [] } }],
    ['a command', { a: { command: 'sh' } }],
    ['a pattern that could take hours', { a: { patterns: ['+(a|aa)+(a|aa)b'] } }],
    ['a pattern of stars', { a: { patterns: ['*a*a*a*a*b'] } }],
    ['too many', Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`c${index}`, {}]))],
  ])('%s is told as a problem', (_, categories) => {
    expect(problemOf(categories)).toEqual(expect.any(String));
  });

  test('a name may have three stars', () => {
    expect(problemOf({ a: { patterns: ['*a*b*.md'] } })).toBeUndefined();
    expect(problemOf({ a: { patterns: ['*a*b*c*.md'] } })).toContain('patterns');
  });

  test('a folder that is let through never leads out by its name', () => {
    const dir = fc
      .array(fc.constantFrom('a', '..', '.', '', '/', '\\', 'C:'))
      .map((parts) => parts.join('/'));
    fc.assert(
      fc.property(dir, (text) => {
        if (problemOf({ a: { dir: text } }) !== undefined) return;
        const [category] = settleCategories({ a: { dir: text } }, undefined);
        expect(new URL(`x:/top/${category!.base}/`).pathname.startsWith('/top/')).toBe(true);
      }),
    );
  });
});
