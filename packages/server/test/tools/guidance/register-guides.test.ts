import { silent, type Result } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { connectProject, rootsAt } from '../../fixtures/project-client.js';
import { makeTree } from '../../fixtures/temp-tree.js';

const ERAS = ['legacy', 'modern'] as const;
const tree = makeTree({
  'p/.rootward.json': JSON.stringify({ categories: { 'my docs': { dir: 'docs', description: 'About' } } }),
  'p/docs/größe %.md': '---\ntitle: Size\ndescription: It matters\n---\ntext',
  'p/docs/huge.md': 'x'.repeat(1_000_001),
  'q/README.md': '# Q',
});
const URI = 'guide://my%20docs/gr%C3%B6%C3%9Fe%20%25.md';
const contentsOf = (result: Result): unknown => (result['contents'] as { text: string }[])[0]!.text;
const promptOf = (result: Result): string =>
  (result['messages'] as { content: { text: string } }[])[0]!.content.text;

describe('guides as resources', () => {
  test.each(ERAS)('%s: a document is read by its URI, whatever its name', async (era) => {
    const { scripted } = await connectProject({ era, roots: rootsAt(tree.path('p')) });
    const result = await scripted.call('resources/read', { uri: URI });
    expect(contentsOf(result)).toBe('---\ntitle: Size\ndescription: It matters\n---\ntext');
    expect(scripted.asked).toHaveLength(1);
  });

  test.each([
    ['guide://my%20docs/none.md', 'no such document'],
    ['guide://other/x.md', 'Cannot find category'],
    ['guide://my%20docs/%2e%2e/.rootward.json', 'Cannot find'],
    ['guide://my%20docs/huge.md', 'too long'],
  ])('%s is refused', async (uri, message) => {
    const { scripted } = await connectProject({ roots: rootsAt(tree.path('p')) });
    await expect(scripted.call('resources/read', { uri })).rejects.toThrow(message);
  });

  test('without a project, the error says what to do', async () => {
    const { scripted } = await connectProject();
    await expect(scripted.call('resources/read', { uri: URI })).rejects.toMatchObject({
      message:
        'Project context not available. Call switch_project with the basename of the current working directory.',
      data: { error_type: 'no_project', instruction: 'Call switch_project with your project name' },
    });
  });

  test('the guides of the known project are listed, and a change of roots is announced', async () => {
    const client = await connectProject({ roots: rootsAt(tree.path('p')) });
    const list = async (): Promise<unknown> => (await client.scripted.request('resources/list'))['resources'];
    await client.current();
    expect(await list()).toEqual([
      {
        name: 'my docs/größe %.md',
        uri: URI,
        title: 'Size',
        description: 'It matters',
        mimeType: 'text/markdown',
      },
      {
        name: 'my docs/huge.md',
        uri: 'guide://my%20docs/huge.md',
        title: 'Guide',
        description: expect.any(String),
        mimeType: 'text/markdown',
      },
      expect.objectContaining({ name: 'p-my-docs', mimeType: 'text/markdown' }),
    ]);
    await client.changeRoots(rootsAt(tree.path('q')));
    await client.scripted.until(() =>
      client.scripted.received.some(
        (message) => 'method' in message && message.method === 'notifications/resources/list_changed',
      ),
    );
    await client.current();
    expect(await list()).toMatchObject([{ uri: 'guide://docs/README.md', title: 'Q' }, { name: 'q-docs' }]);
  });

  test('a client that never listed them is not told of changes', async () => {
    const client = await connectProject({ roots: rootsAt(tree.path('p')) });
    const before = await client.current();
    await client.changeRoots(rootsAt(tree.path('q')));
    expect(await client.current()).not.toBe(before);
    expect(client.scripted.received.filter((message) => 'method' in message)).toMatchObject([
      { method: 'roots/list' },
      { method: 'roots/list' },
    ]);
  });

  test('listing waits for nobody', async () => {
    const { scripted } = await connectProject({ roots: silent });
    expect((await scripted.request('resources/list'))['resources']).toEqual([]);
  });
});

describe('guides as a prompt', () => {
  test.each(ERAS)('%s: quotes a category, or says what there is', async (era) => {
    const { scripted } = await connectProject({ era, roots: rootsAt(tree.path('q')) });
    const get = (args: Result): Promise<Result> =>
      scripted.call('prompts/get', { name: 'guide', arguments: args });
    expect(promptOf(await get({ category: 'docs' }))).toBe(
      'Guidance of the project q:\n\n=== README.md ===\n# Q',
    );
    expect(promptOf(await get({}))).toContain(
      'docs: What the project is and how it is used\n- docs/README.md',
    );
    await expect(get({ category: 'none' })).rejects.toThrow('Cannot find category "none"');
  });

  test('a category that is too long says how to read on', async () => {
    const text = 'word '.repeat(30_000);
    tree.add({ 'wordy/README.md': text });
    const client = await connectProject({ roots: rootsAt(tree.path('wordy')) });
    const prompt = promptOf(
      await client.scripted.call('prompts/get', { name: 'guide', arguments: { category: 'docs' } }),
    );
    const [, category, cursor] =
      /\[more: category_content with category "(.*)" and cursor "(.*)"\]$/.exec(prompt) ?? [];
    const { documents } = await client.value('category_content', { category, cursor });
    const [{ text: rest }] = documents as [{ text: string }];
    const quoted = prompt.slice(prompt.indexOf('word '), prompt.indexOf('\n[more'));
    expect(rest).not.toBe('');
    expect(text.slice(0, quoted.length + rest.length)).toBe(quoted + rest);
  });
});
