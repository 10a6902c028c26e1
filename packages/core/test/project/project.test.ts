import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { win32 } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { isProjectName } from '../../src/project/project-name.js';
import { fileUriToPath } from '../../src/uri/file-uri.js';
import { connect, connectAsked, makeTree } from '../workspace/scripted-client.js';

function idOf(name: string, path: string): string {
  return `${name}-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`;
}

describe('which project', () => {
  test('the first directory root of the client, before everything else', async () => {
    const tree = makeTree('client', 'flag', 'cwd');
    const { workspace, client } = await connectAsked({
      roots: [tree('flag')],
      clientRoots: 'add',
      environment: { PWD: tree('cwd') },
    });
    expect(workspace.project().name).toBe('flag');
    await client.answer([tree('client')]);
    expect(workspace.project()).toEqual({
      name: 'client',
      id: idOf('client', tree('client')),
      path: tree('client'),
      source: 'client',
    });
  });

  test('flag and config roots come before PWD', async () => {
    const tree = makeTree('flag', 'config', 'cwd');
    const environment = { PWD: tree('cwd') };
    const config = [{ file: tree('rootward.json'), roots: ['config'] }];
    const flagged = await connect({ roots: [tree('flag')], config, environment });
    expect(flagged.workspace.project().name).toBe('flag');
    const configured = await connect({ config, environment });
    expect(configured.workspace.project().name).toBe('config');
    const hinted = await connect({ environment });
    expect(hinted.workspace.project()).toMatchObject({ name: 'cwd', source: 'cwd' });
  });

  test('the project already known counts while its root remains, before other sources', async () => {
    const tree = makeTree('known', 'other');
    const { workspace, client } = await connectAsked({ roots: [tree('other'), tree('known')] });
    await client.answer([tree('known')]);
    expect(workspace.project().name).toBe('known');
    workspace.rootsChanged();
    await client.answer([]);
    expect(workspace.directory()).toBe(tree('other'));
    expect(workspace.project()).toMatchObject({ name: 'known', source: 'flag' });
  });

  test('a cached project survives a failed refresh and is replaced by a successful one', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a')]);
    const project = workspace.project();
    workspace.rootsChanged();
    await client.error(-32603);
    expect(workspace.project()).toEqual(project);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await clock.advanceAndSettle(2_000);
    expect(workspace.project()).toEqual(project);
    await client.answer([tree('b')]);
    expect(workspace.project().name).toBe('b');
  });

  test('the first root is a file: the first directory counts', async () => {
    const tree = makeTree('folder');
    writeFileSync(tree('notes.txt'), '');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('notes.txt'), tree('folder')]);
    expect(workspace.project().name).toBe('folder');
  });

  test.each([
    'with space',
    'v1.2.3',
    'проект-日本語',
    '100%20',
    'ends.git',
    'ends with a blank ',
    'back\\slash',
  ])('a root named %j gives that name', async (name) => {
    const tree = makeTree(name);
    const { workspace, client } = await connectAsked();
    await client.result({ roots: [{ uri: pathToFileURL(tree(name)).href, name: 'declared otherwise' }] });
    expect(workspace.project()).toMatchObject({ name, id: idOf(name, tree(name)), path: tree(name) });
  });

  test.each([
    'file:///c%3A/Users/me/app',
    'file:///C:/Users/me/app',
    'file://c:/Users/me/app/',
    'C:\\Users\\me\\app',
  ])('on Windows %j is the one project of that folder', (form) => {
    const path = fileUriToPath(form, 'windows').replace(/\\$/, '');
    expect(path).toBe('C:\\Users\\me\\app');
    expect(isProjectName(win32.basename(path))).toBe(true);
  });

  test('the same basename in two places is two projects', async () => {
    const tree = makeTree('one/app', 'two/app');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('one/app'), tree('two/app')]);
    const [one, two] = workspace.snapshot().roots;
    const first = workspace.chooseProject({ root: one! });
    const second = workspace.chooseProject({ root: two! });
    expect([first.name, second.name]).toEqual(['app', 'app']);
    expect(first.id).not.toBe(second.id);
  });

  test('the whole disk has no name, so it is no project', async () => {
    const { workspace, client } = await connectAsked();
    await client.result({ roots: [{ uri: 'file:///' }] });
    expect(workspace.snapshot().roots).toHaveLength(1);
    expect(() => workspace.project()).toThrow(expect.objectContaining({ code: 'no-project' }));
  });

  test('the whole disk cannot be chosen, and the project before it stays', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a'), '/']);
    const [, disk] = workspace.snapshot().roots;
    expect(() => workspace.chooseProject({ root: disk! })).toThrow(
      expect.objectContaining({ code: 'malformed' }),
    );
    expect(workspace.project().name).toBe('a');
  });
});

describe('without a project', () => {
  test('PWD=/ gives none, with the exact error and its instruction', async () => {
    const { workspace } = await connect({ environment: { PWD: '/' } });
    expect(() => workspace.project()).toThrow(
      expect.objectContaining({
        name: 'RootwardError',
        code: 'no-project',
        message:
          'Project context not available. Call switch_project with the basename of the current working directory.',
        instruction: 'Call switch_project with your project name',
      }),
    );
  });

  test('a name makes a project with no path and no access', async () => {
    const tree = makeTree('a');
    const { workspace } = await connect();
    expect(workspace.chooseProject({ name: 'guidelines' })).toEqual({
      name: 'guidelines',
      id: 'guidelines',
      source: 'name',
    });
    expect(workspace.project().name).toBe('guidelines');
    expect(workspace.snapshot().roots).toEqual([]);
    expect(workspace.scope().contains(tree('a'))).toBe(false);
  });

  test.each(['', '.', '..', './foo', 'a/b', 'line\nbreak'])('%j is refused as a name', async (name) => {
    const { workspace } = await connect();
    expect(() => workspace.chooseProject({ name })).toThrow(expect.objectContaining({ code: 'malformed' }));
    expect(() => workspace.project()).toThrow(expect.objectContaining({ code: 'no-project' }));
  });

  test('a name gives way to roots that come later, and is back when they are gone', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    workspace.chooseProject({ name: 'guidelines' });
    await client.answer([tree('a')]);
    expect(workspace.project().name).toBe('a');
    workspace.rootsChanged();
    await client.answer([]);
    expect(workspace.project()).toMatchObject({ name: 'guidelines', source: 'name' });
  });

  test('a name set while there are roots counts until they change', async () => {
    const tree = makeTree('a', 'b');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a')]);
    expect(workspace.chooseProject({ name: 'guidelines' }).name).toBe('guidelines');
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('a')]);
    expect(workspace.project().name).toBe('guidelines');
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('b')]);
    expect(workspace.project().name).toBe('b');
  });
});

describe('a chosen root', () => {
  test('counts while it remains, also against the first root of the client', async () => {
    const tree = makeTree('a', 'b', 'c');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a'), tree('b')]);
    workspace.chooseProject({ root: workspace.snapshot().roots[1]! });
    expect(workspace.project().name).toBe('b');
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('c'), tree('b')]);
    expect(workspace.project().name).toBe('b');
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('c')]);
    expect(workspace.project().name).toBe('c');
  });

  test('is refused once it is gone, and the choice before it stays', async () => {
    const tree = makeTree('a', 'b', 'c');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a'), tree('b'), tree('c')]);
    const [, b, c] = workspace.snapshot().roots;
    workspace.chooseProject({ root: b! });
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.answer([tree('a'), tree('b')]);
    expect(() => workspace.chooseProject({ root: c! })).toThrow(
      expect.objectContaining({ code: 'outside-roots', path: tree('c') }),
    );
    expect(workspace.project().name).toBe('b');
  });

  test('may be a place the user agreed to', async () => {
    const tree = makeTree('a', 'extra');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    const root = await workspace.grant(tree('extra'));
    expect(workspace.chooseProject({ root })).toMatchObject({ name: 'extra', source: 'consent' });
    expect(workspace.directory()).toBe(tree('a'));
  });
});

test('a project whose folder vanished meanwhile keeps its name', async () => {
  const tree = makeTree('a');
  const { workspace, client } = await connectAsked();
  await client.answer([tree('a')]);
  mkdirSync(tree('a/.git'));
  rmSync(tree('a'), { recursive: true });
  expect(workspace.project()).toMatchObject({ name: 'a', path: tree('a') });
});
