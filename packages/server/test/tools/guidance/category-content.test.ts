import { rmSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { connectProject, rootsAt, textOf } from '../../fixtures/project-client.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import type { AuditEntry } from '../../../src/tools/framework/tool-context.js';

const ERAS = ['legacy', 'modern'] as const;
const LONG = Array.from({ length: 5000 }, (_, index) => `line ${index} 😀`).join('\n');
const tree = makeTree({
  'p/.rootward.json': JSON.stringify({
    categories: { docs: { dir: 'docs' }, long: { dir: 'long' }, none: { dir: 'x' } },
  }),
  'p/docs/a.md': 'A\n',
  'p/docs/deep/b.md': 'B\n',
  'p/docs/c.md': Uint8Array.of(0xff, 0xfe, 0x00),
  'p/long/1.md': LONG,
  'p/long/2.md': 'end',
  'outside/secret.md': 'secret',
});
symlinkSync(tree.path('outside/secret.md'), tree.path('p/docs/link.md'));

interface Page {
  readonly documents: readonly { readonly name: string; readonly text: string; readonly problem?: string }[];
  readonly nextCursor?: string;
}

describe('category_content', () => {
  test.each(ERAS)('%s: gives a category, with a document that is no text told in its place', async (era) => {
    const client = await connectProject({ era, roots: rootsAt(tree.path('p')) });
    const result = await client.call('category_content', { category: 'docs' });
    expect(result['structuredContent']).toEqual({
      success: true,
      value: {
        documents: [
          { name: 'a.md', uri: 'guide://docs/a.md', text: 'A\n' },
          {
            name: 'c.md',
            uri: 'guide://docs/c.md',
            text: '',
            problem: expect.stringContaining('Cannot read'),
          },
          { name: 'deep/b.md', uri: 'guide://docs/deep/b.md', text: 'B\n' },
        ],
      },
    });
    expect(textOf(result)).toMatch(/^=== a\.md ===\nA\n/);
  });

  test.each([{ category: 'docs/deep/b.md' }, { category: 'docs', document: 'deep/b.md' }])(
    'gives one document for %j, as it is',
    async (args) => {
      const client = await connectProject({ roots: rootsAt(tree.path('p')) });
      const result = await client.call('category_content', args);
      expect(textOf(result)).toBe('B\n');
    },
  );

  test('gives long documents in pages that add up', async () => {
    const client = await connectProject({ roots: rootsAt(tree.path('p')) });
    const texts = new Map<string, string>();
    let pages = 0;
    for (let cursor: string | undefined = ''; cursor !== undefined; pages++) {
      const args = cursor === '' ? {} : { cursor };
      const page = (await client.value('category_content', { category: 'long', ...args })) as unknown as Page;
      for (const { name, text } of page.documents) texts.set(name, (texts.get(name) ?? '') + text);
      cursor = page.nextCursor;
    }
    expect(pages).toBeGreaterThan(2);
    expect(Object.fromEntries(texts)).toEqual({ '1.md': LONG, '2.md': 'end' });
  });

  test('says when what a cursor stands for is gone', async () => {
    tree.add({ 'p/docs/long/1.md': LONG });
    const client = await connectProject({ roots: rootsAt(tree.path('p')) });
    const args = { category: 'docs/long/1.md' };
    const { nextCursor: cursor } = await client.value('category_content', args);
    tree.add({ 'p/docs/long/1.md': 'short' });
    const result = await client.call('category_content', { ...args, cursor });
    rmSync(tree.path('p/docs/long'), { recursive: true });
    expect(result['structuredContent']).toMatchObject({
      error_type: 'invalid_option',
      message: expect.stringContaining('no longer there'),
    });
  });

  test.each([
    [{ category: 'missing' }, 'not_found', 'this project has docs, long, none'],
    [{ category: 'docs/missing.md' }, 'not_found', 'no such document'],
    [{ category: 'docs/link.md' }, 'not_found', 'no such document'],
    [{ category: 'docs/../../outside/secret.md' }, 'not_found', 'no such document'],
    [{ category: 'docs', document: tree.path('p/docs/a.md') }, 'not_found', 'no such document'],
    [{ category: 'docs/c.md' }, 'not_text', 'Cannot read'],
    [{ category: 'docs', cursor: 'x' }, 'invalid_option', 'Cannot continue'],
  ])('refuses %j with an instruction', async (args, type, text) => {
    const client = await connectProject({ roots: rootsAt(tree.path('p')) });
    const result = await client.call('category_content', args);
    expect(result['isError']).toBe(true);
    expect(result['structuredContent']).toEqual({
      success: false,
      error: expect.stringContaining(text),
      error_type: type,
      message: expect.stringContaining(text),
      instruction: expect.any(String),
    });
    expect(JSON.stringify(result)).not.toContain('"secret"');
  });

  test('a category without documents is empty, not an error', async () => {
    const client = await connectProject({ roots: rootsAt(tree.path('p')) });
    expect(await client.value('category_content', { category: 'none' })).toEqual({ documents: [] });
  });

  test('tells the audit trail which documents were read', async () => {
    const audit: AuditEntry[] = [];
    const tools = { audit: (entry: AuditEntry) => void audit.push(entry) };
    const client = await connectProject({ roots: rootsAt(tree.path('p')), tools });
    await client.call('category_content', { category: 'docs/a.md' });
    expect(audit).toEqual([{ tool: 'category_content', path: 'guide://docs/a.md', decision: 'allowed' }]);
  });
});
