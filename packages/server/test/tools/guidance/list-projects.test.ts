import { execFileSync } from 'node:child_process';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { choiceId, projectOf } from '@rootward/core';
import { answering } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { connectProject, rootsAt, textOf, type ListedProject } from '../../fixtures/project-client.js';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf } from '../../fixtures/tools-client.js';

const tree = makeTree({ 'a/': '', 'b/': '', 'extra/file.txt': 'extra' });

function git(directory: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.invalid'];
  execFileSync('git', [...identity, ...args], { cwd: directory, stdio: 'pipe' });
}

/** Names and sources of the listed projects. */
async function list(data: Promise<Record<string, unknown>>): Promise<[string, string][]> {
  const { projects } = (await data)['value'] as { projects: ListedProject[] };
  return projects.map(({ name, source }) => [name, source]);
}

describe('list_projects', () => {
  test('shows a worktree with its repository, a root below a repository, and repositories inside a root', async () => {
    const repositories = makeTree({
      'main repo/packages/app/': '',
      'all/clone/.git/HEAD': '',
      'all/lib/x/.git/': '',
    });
    const main = repositories.path('main repo');
    git(main, 'init', '--initial-branch', 'trunk');
    git(main, 'commit', '--allow-empty', '-m', 'first');
    git(main, 'worktree', 'add', '-b', 'fix', repositories.path('checkout'));
    const checkout = repositories.path('checkout');
    const app = repositories.path('main repo/packages/app');
    const all = repositories.path('all');
    const client = await connectProject({ roots: rootsAt(checkout, app, all) });
    const { id } = projectOf({ path: main, source: 'client' });
    expect(await client.projects()).toEqual([
      {
        name: 'main repo',
        id,
        path: checkout,
        source: 'client',
        repository: main,
        worktreeOf: main,
        treeId: choiceId({ path: checkout }),
        branch: 'fix',
        current: true,
      },
      {
        ...projectOf({ path: app, source: 'client' }),
        name: 'app',
        repository: main,
        branch: 'trunk',
        current: false,
      },
      {
        ...projectOf({ path: all, source: 'client' }),
        name: 'all',
        nested: [repositories.path('all/clone'), repositories.path('all/lib/x')],
        current: false,
      },
    ]);
    // The main repository is shown, and out of reach.
    const read = await client.call('list_directory', { path: main });
    expect(read['isError']).toBe(true);
    const text = textOf(await client.call('list_projects'));
    expect(text.split('\n')[0]).toBe(
      `* ${choiceId({ path: checkout })}: ${checkout}, from client, on fix, worktree of ${main}`,
    );
  });

  test.each(['with space', 'v1.2.3', '100%25 sure', 'проект-日本語', 'näïve #1?', '.hidden'])(
    'a root named %j is a project of that name, with or without a slash at its end',
    async (name) => {
      mkdirSync(tree.path(name));
      const uri = pathToFileURL(tree.path(name)).href;
      const project = { name, path: tree.path(name), current: true };
      const plain = await (await connectProject({ roots: answering([{ uri }]) })).projects();
      const slashed = await (await connectProject({ roots: answering([{ uri: `${uri}/` }]) })).projects();
      expect(plain).toMatchObject([project]);
      expect(slashed).toEqual(plain);
    },
  );

  test.each(['file:///c%3A/work/app', 'file:///C:/work/app', 'file://d:\\work\\app', 'C:\\work\\app'])(
    'the drive form %j is no project where there are no drives',
    async (uri) => {
      const client = await connectProject({ roots: answering([{ uri }]) });
      expect(await client.shaped('list_projects')).toEqual({
        success: true,
        value: { projects: [] },
        message:
          'Project context not available. Call switch_project with the basename of the current working directory.',
        instruction: 'Call switch_project with your project name',
      });
    },
  );

  test('single files and the whole disk are no projects', async () => {
    writeFileSync(tree.path('note.txt'), '');
    const roots = rootsAt('/', tree.path('note.txt'), tree.path('a'));
    const client = await connectProject({ roots });
    expect((await client.projects()).map(({ name }) => name)).toEqual(['a']);
  });

  test('a root that is gone is listed all the same', async () => {
    mkdirSync(tree.path('gone'));
    const client = await connectProject({ roots: rootsAt(tree.path('gone'), tree.path('a')) });
    await client.projects();
    rmdirSync(tree.path('gone'));
    expect((await client.projects()).map(({ name }) => name)).toEqual(['gone', 'a']);
  });

  test('comes in pages', async () => {
    const folders = Array.from({ length: 60 }, (_, index) => `many/p${String(index).padStart(2, '0')}`);
    for (const folder of folders) mkdirSync(tree.path(folder), { recursive: true });
    const client = await connectProject({ roots: rootsAt(...folders.map((folder) => tree.path(folder))) });
    const first = await client.value('list_projects');
    const second = await client.value('list_projects', { cursor: first['nextCursor'] });
    const names = [first, second].flatMap(({ projects }) =>
      (projects as ListedProject[]).map(({ name }) => name),
    );
    expect(names).toEqual(folders.map((folder) => folder.slice('many/'.length)));
    expect(second).not.toHaveProperty('nextCursor');
    expect(await client.shaped('list_projects', { cursor: 'x' })).toMatchObject({
      success: false,
      error_type: 'invalid_option',
    });
  });
});

describe('consent to another directory', () => {
  test('legacy: accepted, it is a root of this session only, and shows where it comes from', async () => {
    const client = await connectTools({
      roots: [tree.uri('a')],
      elicit: () => ({ action: 'accept', content: { confirm: true } }),
    });
    await client.call('switch_project', { project: tree.path('extra') });
    expect(await list(client.data('list_projects'))).toEqual([
      ['a', 'client'],
      ['extra', 'consent'],
    ]);
    expect(await client.text('read_text_file', { path: tree.path('extra/file.txt') })).toBe('extra');
    const another = await connectTools({ roots: [tree.uri('a')] });
    expect(await list(another.data('list_projects'))).toEqual([['a', 'client']]);
    await client.close();
    await another.close();
  });

  test('modern: accepted, it is a root for later calls, and the project where the handle is passed', async () => {
    const client = await connectTools({
      era: 'modern',
      roots: [tree.uri('a')],
      elicit: () => ({ action: 'accept', content: { confirm: true } }),
    });
    const { workspace } = await client.data('switch_project', { project: tree.path('extra') });
    expect(await list(client.data('list_projects', { workspace }))).toEqual([
      ['extra', 'handle'],
      ['a', 'handle'],
    ]);
    expect(await list(client.data('list_projects'))).toEqual([
      ['a', 'client'],
      ['extra', 'consent'],
    ]);
    await client.close();
  });

  test.each(
    ERAS.flatMap((era) => [
      { era, what: 'declined', elicit: () => ({ action: 'decline' as const }) },
      { era, what: 'cancelled', elicit: () => ({ action: 'cancel' as const }) },
      {
        era,
        what: 'sent off without a yes',
        elicit: () => ({ action: 'accept' as const, content: { confirm: false } }),
      },
      { era, what: 'unsupported', elicit: undefined },
    ]),
  )('$era: $what, it is refused and nothing changed', async ({ era, elicit }) => {
    const client = await connectTools({ era, roots: [tree.uri('a')], elicit });
    const refused = reportOf(await client.call('switch_project', { project: tree.path('extra') }));
    expect(refused).toMatchObject({ error_type: 'not_permitted' });
    expect(await list(client.data('list_projects'))).toEqual([['a', 'client']]);
    const read = await client.call('read_text_file', { path: tree.path('extra/file.txt') });
    expect(read.isError).toBe(true);
    await client.close();
  });

  test('beyond the ceiling the user is not even asked', async () => {
    const client = await connectTools({
      roots: [tree.uri('a')],
      elicit: () => ({ action: 'accept', content: { confirm: true } }),
      workspace: { within: [tree.path('a')] },
    });
    const refused = reportOf(await client.call('switch_project', { project: tree.path('extra') }));
    expect(refused).toMatchObject({ error_type: 'not_permitted' });
    expect(client.questions).toEqual([]);
    await client.close();
  });
});
