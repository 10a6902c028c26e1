import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { inTurn, refusing, silent } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import type { RulesReading } from '../../src/settings/workspace-rules.js';
import type { SettingsReader } from '../../src/guidance/project-session.js';
import { ProjectSettingsStore } from '../../src/guidance/settings-store.js';
import { connectProject, rootsAt, textOf } from '../fixtures/project-client.js';
import { makeTree } from '../fixtures/temp-tree.js';

const ERAS = ['legacy', 'modern'] as const;
const tree = makeTree({
  'one/app/README.md': '# One',
  'two/app/README.md': '# Two',
  'other/': '',
  'settled/.rootward.json': JSON.stringify({ categories: { first: {} } }),
});

/** Settings of nobody, and a count of who asked for them. */
class CountingStore implements SettingsReader {
  readonly reads: string[] = [];

  fileOf(id: string): string {
    return tree.path('no settings', id);
  }

  read(id: string): RulesReading {
    this.reads.push(id);
    return undefined;
  }

  rules(): undefined {
    return undefined;
  }
}

describe('a project session', () => {
  test.each(ERAS)('%s: is not opened, and nobody is asked, by what needs no project', async (era) => {
    const store = new CountingStore();
    const { scripted } = await connectProject({ era, store, roots: silent });
    if (era === 'legacy') await scripted.whenAsked(1);
    const before = scripted.asked.length;
    await scripted.call('tools/list');
    await scripted.call('resources/list');
    await scripted.call('resources/templates/list');
    await scripted.call('prompts/list');
    // Arguments that are no use need no project either.
    expect((await scripted.callTool('category_content', {}))['isError']).toBe(true);
    expect(scripted.asked).toHaveLength(before);
    expect(scripted.asked.length).toBe(era === 'legacy' ? 1 : 0);
    expect(store.reads).toEqual([]);
  });

  test('legacy: is opened once and asks the client no more', async () => {
    const store = new CountingStore();
    const client = await connectProject({ store, roots: rootsAt(tree.path('one/app')) });
    for (const tool of ['category_list', 'category_list', 'list_projects']) await client.call(tool);
    await client.call('category_content', { category: 'docs' });
    expect(client.scripted.asked).toHaveLength(1);
    expect(store.reads).toHaveLength(1);
  });

  test('modern: is opened for each request, which asks once', async () => {
    const store = new CountingStore();
    const client = await connectProject({ era: 'modern', store, roots: rootsAt(tree.path('one/app')) });
    await client.current();
    await client.current();
    expect(client.scripted.asked).toHaveLength(2);
    expect(store.reads).toHaveLength(2);
  });

  test('is dropped when its root leaves, and opened anew when it comes back', async () => {
    const store = new CountingStore();
    const client = await connectProject({ store, roots: rootsAt(tree.path('one/app')) });
    const app = await client.current();
    await client.changeRoots(rootsAt(tree.path('other')));
    const other = await client.current();
    expect(other).toMatch(/^other-/);
    await client.changeRoots(rootsAt(tree.path('one/app')));
    expect(await client.current()).toBe(app);
    expect(store.reads).toEqual([app, other, app]);
  });

  test('sees a settings file that changed', async () => {
    const client = await connectProject({ roots: rootsAt(tree.path('settled')) });
    const names = async (): Promise<string[]> =>
      ((await client.value('category_list'))['categories'] as { name: string }[]).map(({ name }) => name);
    expect(await names()).toEqual(['first']);
    tree.add({ 'settled/.rootward.json': JSON.stringify({ categories: { second: {}, third: {} } }) });
    expect(await names()).toEqual(['second', 'third']);
    rmSync(tree.path('settled/.rootward.json'));
    expect(await names()).toEqual([]);
  });
});

/** Settings for each of the two folders, with a category named after it. */
async function settings(): Promise<ProjectSettingsStore> {
  const store = new ProjectSettingsStore(tree.path('user'));
  for (const folder of ['one', 'two']) {
    const [project] = await (await connectProject({ roots: rootsAt(tree.path(folder, 'app')) })).projects();
    await store.update(project!.id, () => ({ categories: { [folder]: { patterns: ['README.md'] } } }));
  }
  return store;
}

describe('two folders of the same name', () => {
  test('are two projects with settings of their own, one after the other on one connection', async () => {
    const store = await settings();
    const client = await connectProject({ store, roots: rootsAt(tree.path('one/app')) });
    const first = await client.current();
    expect(textOf(await client.call('category_content', { category: 'one' }))).toBe('# One');
    // The one root is replaced by another of the same name.
    await client.changeRoots(rootsAt(tree.path('two/app')));
    const second = await client.current();
    expect(textOf(await client.call('category_content', { category: 'two' }))).toBe('# Two');
    expect((await client.shaped('category_content', { category: 'one' })).error_type).toBe('not_found');
    expect([first, second].map((id) => id.replace(/-.*/, ''))).toEqual(['app', 'app']);
    expect(first).not.toBe(second);
    expect(readdirSync(store.directory).sort()).toEqual([`${first}.json`, `${second}.json`].sort());
  });

  test.each(ERAS)('%s: are never mixed by two connections at once', async (era) => {
    const store = await settings();
    const connect = (folder: string) =>
      connectProject({ era, store, roots: rootsAt(tree.path(folder, 'app')) });
    const clients = [await connect('one'), await connect('two')];
    const seen = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const folder = index % 2 === 0 ? 'one' : 'two';
        return textOf(await clients[index % 2]!.call('category_content', { category: folder }));
      }),
    );
    expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? '# One' : '# Two')));
    expect(await clients[0]!.current()).not.toBe(await clients[1]!.current());
  });

  test('in one list of roots, each is reached by its id', async () => {
    const client = await connectProject({ roots: rootsAt(tree.path('one/app'), tree.path('two/app')) });
    const [one, two] = await client.projects();
    expect([one, two]).toMatchObject([
      { name: 'app', current: true },
      { name: 'app', current: false },
    ]);
    await client.call('switch_project', { project: two!.id });
    expect(textOf(await client.call('category_content', { category: 'docs' }))).toBe('# Two');
  });
});

describe('the project', () => {
  const NO_PROJECT = {
    success: false,
    error:
      'Project context not available. Call switch_project with the basename of the current working directory.',
    error_type: 'no_project',
    message:
      'Project context not available. Call switch_project with the basename of the current working directory.',
    instruction: 'Call switch_project with your project name',
  };

  test.each(ERAS)('%s: is that of the client, before PWD and everything else', async (era) => {
    const client = await connectProject({
      era,
      roots: rootsAt(tree.path('other')),
      workspace: { environment: { PWD: tree.path('one/app') } },
    });
    expect(await client.current()).toMatch(/^other-/);
  });

  test.each([
    ['does not support roots', undefined],
    ['answers -32601', refusing()],
    ['has no folder open', rootsAt()],
  ])('is that of PWD when the client %s', async (_, roots) => {
    const client = await connectProject({
      ...(roots !== undefined && { roots }),
      workspace: { environment: { PWD: tree.path('other') }, limits: { readyTimeout: 50 } },
    });
    expect((await client.projects()).map(({ name, source }) => [name, source])).toEqual([['other', 'cwd']]);
  });

  test('stays the one known when a later answer fails', async () => {
    const client = await connectProject({ roots: inTurn(rootsAt(tree.path('other')), refusing(-32_603)) });
    const before = await client.current();
    client.scripted.changeRoots();
    await client.scripted.whenAsked(2);
    expect(await client.current()).toBe(before);
  });

  test.each(['.', '..', './other', 'other', '', '/', '/does/not/exist'])(
    'is not taken from PWD=%j, nor from the directory of the process',
    async (PWD) => {
      const client = await connectProject({ workspace: { environment: { PWD } } });
      const result = await client.call('category_list');
      expect(result['isError']).toBe(true);
      expect(result['structuredContent']).toEqual(NO_PROJECT);
      expect(textOf(result)).toBe(`${NO_PROJECT.message}\n${NO_PROJECT.instruction}`);
      expect(result['_meta']).toMatchObject({ 'rootward/error': { error_type: 'no_project' } });
    },
  );

  test('no code of ours looks at the directory of the process', () => {
    const folders = ['../../src/guidance', '../../src/tools/guidance', '../../../core/src/project'];
    const texts = folders.flatMap((folder) => {
      const url = new URL(`${folder}/`, import.meta.url);
      return readdirSync(url).map((file) => readFileSync(new URL(file, url), 'utf8'));
    });
    expect(texts.length).toBeGreaterThan(20);
    expect(texts.filter((text) => /process\.cwd\(|\bresolve\('\.'\)/.test(text))).toEqual([]);
  });

  test('of a name only has settings by that name, no path and no access', async () => {
    const store = new ProjectSettingsStore(tree.path('named'));
    await store.update('guidelines', () => ({ categories: { house: { dir: 'docs' } } }));
    const client = await connectProject({ store });
    for (const bad of ['.', '..', './guidelines', '']) {
      expect((await client.call('switch_project', { project: bad }))['isError']).toBe(true);
    }
    await client.call('switch_project', { project: 'guidelines' });
    expect(await client.projects()).toEqual([
      { name: 'guidelines', id: 'guidelines', source: 'name', current: true },
    ]);
    expect(await client.value('category_list')).toMatchObject({
      project: 'guidelines',
      categories: [{ name: 'house', documentCount: 0, problem: 'no_roots' }],
    });
    const read = await client.call('read_text_file', { path: tree.path('one/app/README.md') });
    expect(read['isError']).toBe(true);
  });
});
