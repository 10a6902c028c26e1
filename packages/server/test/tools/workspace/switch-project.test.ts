import { symlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { choiceId, projectOf } from '@rootward/core';
import { describe, expect, test } from 'vitest';
import { makeTree } from '../../fixtures/temp-tree.js';
import { connectTools, ERAS, reportOf, type ToolsClientOptions } from '../../fixtures/tools-client.js';
import { git } from '../../../../../testing/git.js';

const tree = makeTree({
  'app/x.txt': 'app',
  'lib/x.txt': 'lib',
  'twin/app/x.txt': 'twin',
  'extra/x.txt': 'extra',
  'file.txt': '',
  'operator/x.txt': 'operator',
});
symlinkSync(tree.path('extra'), tree.path('link'));
symlinkSync('/', tree.path('disk'));
const roots = [tree.uri('app'), tree.uri('lib')];
const idOf = (name: string): string => projectOf({ path: tree.path(name), source: 'client' }).id;
const yes = () => ({ action: 'accept', content: { confirm: true } }) as const;

describe.each(ERAS)('switch_project on a %s connection', (era) => {
  /** The project the next call sees: by the handle where nothing is kept. */
  const connect = async (options: ToolsClientOptions = {}) => {
    const tools = await connectTools({ era, roots, ...options });
    let workspace: unknown;
    return {
      ...tools,
      switchTo: async (project: string) => {
        const result = await tools.call('switch_project', { project, workspace });
        if (result.isError !== true)
          workspace = (result.structuredContent as Record<string, unknown>)['workspace'];
        return result;
      },
      project: async () => (await tools.data('workspace_info', { workspace }))['project'],
      read: (path: string) => tools.call('read_text_file', { path, workspace }),
    };
  };

  test.each([
    ['name', 'lib'],
    ['path', tree.path('lib')],
    ['path with a slash', `${tree.path('lib')}/`],
    ['id', idOf('lib')],
  ])('switches to a root by its %s', async (_, project) => {
    const tools = await connect();
    expect(await tools.switchTo(project)).toMatchObject({
      structuredContent: { name: 'lib', id: idOf('lib'), path: tree.path('lib') },
    });
    expect(await tools.project()).toMatchObject({ name: 'lib' });
    expect((await tools.data('workspace_info'))['rootCount']).toBe(2);
    await tools.close();
  });

  test('opens a directory outside the roots when the user agrees, and only that', async () => {
    const tools = await connect({ elicit: yes });
    expect((await tools.read(tree.path('extra/x.txt'))).isError).toBe(true);
    expect(await tools.switchTo(tree.path('link'))).toMatchObject({
      structuredContent: { name: 'extra', path: tree.path('extra'), source: 'consent' },
    });
    expect(tools.questions).toEqual([expect.stringContaining(JSON.stringify(tree.path('extra')))]);
    expect(await tools.project()).toMatchObject({ name: 'extra' });
    expect(await tools.read(tree.path('extra/x.txt'))).toMatchObject({ content: [{ text: 'extra' }] });
    expect(await tools.read(tree.path('app/x.txt'))).toMatchObject({ content: [{ text: 'app' }] });
    expect((await tools.read(tree.path('operator/x.txt'))).isError).toBe(true);
    await tools.close();
  });

  test('keeps a consent for later calls, also those without a handle, until the client takes it back', async () => {
    const tools = await connect({ elicit: yes });
    await tools.switchTo(tree.path('extra'));
    const read = (): Promise<unknown> => tools.call('read_text_file', { path: tree.path('extra/x.txt') });
    expect(await read()).toMatchObject({ content: [{ text: 'extra' }] });
    await tools.switchTo(tree.path('extra'));
    expect(tools.questions).toHaveLength(1);
    await tools.setRoots([]);
    expect(await read()).toMatchObject({ isError: true });
    await tools.setRoots(roots);
    expect(await read()).toMatchObject({ isError: true });
    await tools.close();
  });

  test('asks nobody twice about a directory that was not allowed', async () => {
    const tools = await connect({ elicit: () => ({ action: 'decline' }) as const });
    await tools.switchTo(tree.path('extra'));
    const report = reportOf(await tools.switchTo(tree.path('extra')));
    expect(report).toMatchObject({ error_type: 'not_permitted', message: expect.stringMatching(/declined/) });
    expect(tools.questions).toHaveLength(1);
    await tools.close();
  });

  test('asks for no more than the user can give', async () => {
    const config = [{ file: tree.path('c.json'), roots: [{ path: 'extra', access: 'read-only' }] }];
    const workspace = { environment: {}, home: '/nonexistent', config };
    const tools = await connect({ elicit: yes, workspace });
    await tools.switchTo(tree.path('extra'));
    await tools.switchTo(tree.path('operator'));
    expect(tools.questions).toEqual([
      expect.stringMatching(/^Allow reading files in /),
      expect.stringMatching(/^Allow reading and changing files in /),
    ]);
    await tools.close();
  });

  test('never opens a whole disk, which is no project', async () => {
    const tools = await connect({ elicit: yes });
    expect(reportOf(await tools.switchTo(tree.path('disk')))['error_type']).toBe('not_permitted');
    expect(reportOf(await tools.switchTo('/'))).toMatchObject({
      error_type: 'malformed',
      message: 'Cannot switch to "/": it is neither the name nor the path of a project',
    });
    expect(tools.questions).toEqual([]);
    expect((await tools.data('workspace_info'))['rootCount']).toBe(2);
    await tools.close();
  });

  test('counts no disk among the known projects', async () => {
    const tools = await connect({ roots: [...roots, 'file:///'] });
    const { instruction } = reportOf(await tools.switchTo(tree.path('extra')));
    expect(instruction).toContain(`(${idOf('app')}, ${idOf('lib')})`);
    await tools.close();
  });

  test('asks for reading alone where nothing may be changed', async () => {
    const tools = await connect({ elicit: yes, tools: { readOnly: true } });
    await tools.switchTo(tree.path('extra'));
    expect(tools.questions).toEqual([expect.stringMatching(/^Allow reading files in /)]);
    await tools.close();
  });

  test.each([
    ['declines', () => ({ action: 'decline' }) as const, /the user declined/],
    ['cancels', () => ({ action: 'cancel' }) as const, /did not answer/],
    [
      'leaves the box unticked',
      () => ({ action: 'accept', content: { confirm: false } }) as const,
      /declined/,
    ],
  ])('refuses and changes nothing when the user %s', async (_, elicit, message) => {
    const tools = await connect({ elicit });
    const report = reportOf(await tools.switchTo(tree.path('extra')));
    expect(report).toMatchObject({
      error_type: 'not_permitted',
      message: expect.stringMatching(message),
      instruction: expect.stringContaining(`${idOf('app')}, ${idOf('lib')}`),
    });
    expect(tools.questions).toHaveLength(1);
    expect(await tools.project()).toMatchObject({ name: 'app' });
    expect((await tools.read(tree.path('extra/x.txt'))).isError).toBe(true);
    await tools.close();
  });

  test('refuses where the client cannot ask, whatever is there', async () => {
    const tools = await connect();
    for (const path of [tree.path('extra'), tree.path('missing'), tree.path('app/sub')]) {
      expect(reportOf(await tools.switchTo(path))).toMatchObject({
        error_type: 'not_permitted',
        message: expect.stringMatching(/: it is not one of the roots, and this client cannot ask its user$/),
        instruction: expect.stringContaining(idOf('lib')),
      });
    }
    expect(await tools.project()).toMatchObject({ name: 'app' });
    await tools.close();
  });

  test('never asks about what could not be opened: beyond the ceiling, missing, or a file', async () => {
    const workspace = { environment: {}, home: '/nonexistent', within: [tree.path('app'), tree.path('lib')] };
    const tools = await connect({ elicit: yes, workspace });
    const messages = new Set<unknown>();
    for (const name of ['extra', 'missing', 'file.txt']) {
      const report = reportOf(await tools.switchTo(tree.path(name)));
      expect(report['error_type']).toBe('not_permitted');
      messages.add(String(report['message']).replace(tree.path(name), ''));
    }
    expect(messages.size).toBe(1);
    expect(tools.questions).toEqual([]);
    expect((await tools.read(tree.path('extra/x.txt'))).isError).toBe(true);
    await tools.close();
  });

  test('refuses a name that is no project while there are roots, with the nearest one', async () => {
    const tools = await connect();
    expect(reportOf(await tools.switchTo('lbi'))).toMatchObject({
      error_type: 'not_found',
      message: 'Cannot switch to "lbi": no project has this name; did you mean "lib"?',
      instruction: expect.stringContaining(`${idOf('app')}, ${idOf('lib')}`),
    });
    expect(reportOf(await tools.switchTo('website'))['message']).toBe(
      'Cannot switch to "website": no project has this name',
    );
    expect(await tools.project()).toMatchObject({ name: 'app' });
    await tools.close();
  });

  test('makes a name a project without a path where there are no roots', async () => {
    const tools = await connect({ roots: undefined });
    const result = await tools.switchTo('website');
    expect(result.structuredContent).toEqual({ name: 'website', id: 'website', source: 'name' });
    await tools.close();
  });

  test.each([
    ['path', (path: string) => path],
    ['name', (path: string) => basename(path)],
    ['id', (path: string) => choiceId({ path })],
  ])('switches to a repository inside a root by its %s, without asking', async (_, nameOf) => {
    const outer = makeTree({ 'all/clone/.git/HEAD': '', 'all/clone/x.txt': 'clone' });
    const tools = await connect({ roots: [outer.uri('all')], elicit: yes });
    const clone = outer.path('all/clone');
    const result = await tools.switchTo(nameOf(clone));
    expect(result.structuredContent).toMatchObject({ name: 'clone', path: clone });
    expect(await tools.project()).toMatchObject({ name: 'clone', path: clone });
    expect(tools.questions).toEqual([]);
    await tools.close();
  });

  test('tells a worktree from the main tree by an id of its own', async () => {
    const outer = makeTree({ 'main/x.txt': '' });
    const [main, tree2] = [outer.path('main'), `${outer.path('main')}-fix`];
    git(main, 'init');
    git(main, 'commit', '--allow-empty', '-m', 'first');
    git(main, 'worktree', 'add', '-b', 'fix', tree2);
    const tools = await connect({ roots: [outer.uri('main'), `${outer.uri('main')}-fix`] });
    const { id } = projectOf({ path: main, source: 'client' });
    expect((await tools.switchTo(choiceId({ path: tree2 }))).structuredContent).toMatchObject({
      id,
      path: tree2,
    });
    expect((await tools.switchTo(id)).structuredContent).toMatchObject({ id, path: main });
    const { instruction } = reportOf(await tools.switchTo('nothing-like-that'));
    expect(instruction).toContain(`(${id}, ${choiceId({ path: tree2 })})`);
    await tools.close();
  });

  test('tells roots of one name apart by their ids', async () => {
    const tools = await connect({ roots: [tree.uri('app'), tree.uri('twin/app')] });
    const report = reportOf(await tools.switchTo('app'));
    expect(report).toMatchObject({ error_type: 'ambiguous' });
    expect(report['instruction']).toContain(idOf('twin/app'));
    await tools.switchTo(idOf('twin/app'));
    expect(await tools.project()).toMatchObject({ path: tree.path('twin/app') });
    await tools.close();
  });

  test('switches between roots the operator named, too', async () => {
    const operator = [tree.path('operator'), tree.path('lib')];
    const tools = await connect({
      roots: undefined,
      workspace: { environment: {}, home: '/nonexistent', roots: operator },
    });
    await tools.switchTo('lib');
    expect(await tools.project()).toMatchObject({ name: 'lib' });
    expect(await tools.read(tree.path('operator/x.txt'))).toMatchObject({ content: [{ text: 'operator' }] });
    await tools.close();
  });

  test('opens nothing where client roots are ignored', async () => {
    const workspace = {
      environment: {},
      home: '/nonexistent',
      clientRoots: 'ignore',
      roots: [tree.path('operator')],
    } as const;
    const tools = await connect({ elicit: yes, workspace });
    expect(reportOf(await tools.switchTo(tree.path('extra')))).toMatchObject({ error_type: 'not_permitted' });
    expect(tools.questions).toEqual([]);
    await tools.close();
  });
});

test('an answer about one directory is none about another', async () => {
  const tools = await connectTools({
    roots,
    elicit: (message) => ({ action: 'accept', content: { confirm: message.includes('extra') } }),
  });
  expect((await tools.call('switch_project', { project: tree.path('extra') })).isError).toBeUndefined();
  expect((await tools.call('switch_project', { project: tree.path('operator') })).isError).toBe(true);
  expect(tools.questions).toHaveLength(2);
  await tools.close();
});
