import { symlinkSync } from 'node:fs';
import { Scope, type Root, type ScopeRules } from '@rootward/core';
import { describe, expect, test } from 'vitest';
import { settleCategories } from '../../src/guidance/category.js';
import type { CategoryRules } from '../../src/settings/category-rules.js';
import { findDocuments } from '../../src/guidance/find-documents.js';
import { makeTree } from '../fixtures/temp-tree.js';

function scopeOver(path: string, rules: ScopeRules = {}): Scope {
  const root: Root = {
    uri: `file://${path}`,
    path,
    name: 'p',
    kind: 'directory',
    access: 'read-write',
    source: 'client',
    declared: path,
    broad: false,
  };
  return new Scope({ roots: [root], rules });
}

async function find(
  path: string,
  categories?: CategoryRules,
  rules?: ScopeRules,
): Promise<Record<string, string[]>> {
  const found = await findDocuments(scopeOver(path, rules), path, settleCategories(categories, undefined));
  return Object.fromEntries(
    found.map(({ category, documents }) => [category.name, documents.map(({ name }) => name)]),
  );
}

describe('findDocuments()', () => {
  test('finds by custom what assistants, people and deciders write, each document once', async () => {
    const tree = makeTree({
      'README.md': '',
      'contributing.md': '',
      'AGENTS.md': '',
      'GEMINI.md': '',
      '.cursor/rules/style.mdc': '',
      '.github/copilot-instructions.md': '',
      '.github/workflows/ci.yml': '',
      'docs/guide/start.md': '',
      'docs/adr/0001-first.md': '',
      'docs/logo.png': '',
      'Changelog.md': '',
      'src/notes.md': '',
      'node_modules/pkg/README.md': '',
    });
    symlinkSync('AGENTS.md', tree.path('CLAUDE.md'));
    expect(await find(tree.top)).toEqual({
      instructions: ['.cursor/rules/style.mdc', '.github/copilot-instructions.md', 'AGENTS.md', 'GEMINI.md'],
      decisions: ['docs/adr/0001-first.md'],
      changelog: ['Changelog.md'],
      docs: ['README.md', 'contributing.md', 'docs/guide/start.md'],
    });
  });

  test('finds by custom every name that the guide lists', async () => {
    const listed = {
      instructions: [
        'AGENTS.md',
        'CLAUDE.md',
        'GEMINI.md',
        '.cursor/rules/a.mdc',
        '.github/copilot-instructions.md',
      ],
      decisions: ['docs/adr/1.md', 'docs/decisions/1.md', 'adr/1.md'],
      changelog: ['CHANGELOG.md', 'CHANGES.md', 'HISTORY.md', 'NEWS.md', 'RELEASES.md'],
      docs: ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md', 'docs/a.md', 'doc/b.md'],
    };
    const tree = makeTree(
      Object.fromEntries(Object.values(listed).flatMap((names) => names.map((name) => [name, '']))),
    );
    const found = await find(tree.top);
    for (const [category, names] of Object.entries(listed)) {
      expect(found[category]?.toSorted()).toEqual(names.toSorted());
    }
  });

  test('a named category has names relative to its folder; a pattern without a slash matches at any depth', async () => {
    const tree = makeTree({ 'docs/a.md': '', 'docs/deep/b.md': '', 'docs/c.txt': '', 'other/d.md': '' });
    expect(await find(tree.top, { all: { dir: 'docs' }, deep: { patterns: ['docs/*/*.md'] } })).toEqual({
      all: ['a.md', 'deep/b.md'],
      deep: ['docs/deep/b.md'],
    });
  });

  test('what is denied, ignored, forges lines or leads out of scope is not found', async () => {
    const tree = makeTree({
      'p/.gitignore': 'ignored.md\n',
      'p/ignored.md': '',
      'p/secret.md': '',
      'p/fine.md': '',
      'p/forged\nline.md': '',
      'p/folder.md/x': '',
      'outside/stolen.md': 'secret',
    });
    symlinkSync(tree.path('outside/stolen.md'), tree.path('p/link.md'));
    symlinkSync('folder.md', tree.path('p/to-folder.md'));
    symlinkSync(tree.path('outside'), tree.path('p/docs'));
    expect(await find(tree.path('p'), { all: {} }, { deny: ['secret.md'] })).toEqual({ all: ['fine.md'] });
  });

  test('a folder that leads out of scope is told, one that is missing just has no documents', async () => {
    const tree = makeTree({ 'p/a.md': '', 'outside/stolen.md': 'secret' });
    symlinkSync(tree.path('outside'), tree.path('p/docs'));
    const categories = settleCategories({ out: { dir: 'docs' }, none: { dir: 'missing' } }, undefined);
    const found = await findDocuments(scopeOver(tree.path('p')), tree.path('p'), categories);
    expect(found).toMatchObject([{ documents: [], problem: 'outside_roots' }, { documents: [] }]);
    expect(found[1]).not.toHaveProperty('problem');
  });

  test('stops when told to', async () => {
    const tree = makeTree({ 'a.md': '' });
    const categories = settleCategories({ all: {} }, undefined);
    const looking = findDocuments(scopeOver(tree.top), tree.top, categories, AbortSignal.abort());
    await expect(looking).rejects.toThrow('aborted');
  });
});
