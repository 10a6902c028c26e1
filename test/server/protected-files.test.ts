import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { answering, type ScriptedClient } from '@rootward/mcp/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { connectRootward, makeFolders } from './fixtures/rootward.js';

const folders = makeFolders('root', 'project');
const root = folders.path('root');
const CONTENT: Readonly<Record<string, string>> = {
  'rootward.json': '{"deny":["*.secret"]}',
  '.rootward.json': '{"deny":["hidden"]}',
  'sub/.rootward.json': '{}',
  'tools/run/tool.sh': '#!/bin/sh\n',
  'config/roots.json': '{"roots":[]}',
  'audit.jsonl': '',
};

/** Every way a tool could change what is at `path`. */
function attempts(path: string): readonly (readonly [tool: string, args: Record<string, unknown>])[] {
  const other = join(root, `moved-${basename(path)}`);
  const plain = join(root, 'plain.txt');
  return [
    ['write_file', { path, content: 'taken over' }],
    ['edit_file', { path, edits: [{ oldText: '{', newText: '{ ' }] }],
    ['move_file', { source: path, destination: other }],
    ['move_file', { source: plain, destination: path }],
    ['copy_file', { source: plain, destination: path }],
    ['delete_file', { path }],
    ['delete_file', { path, recursive: true }],
    ['create_directory', { path: join(path, 'below') }],
  ];
}

describe('no tool changes, renames or removes', () => {
  let client: ScriptedClient;

  beforeAll(() => {
    mkdirSync(join(root, 'sub'));
    mkdirSync(join(root, 'tools', 'run'), { recursive: true });
    mkdirSync(join(root, 'config'));
    for (const [name, text] of Object.entries(CONTENT)) writeFileSync(join(root, name), text);
    writeFileSync(join(root, 'plain.txt'), 'plain {');
    symlinkSync('rootward.json', join(root, 'link.json'));
  });

  async function connect(): Promise<void> {
    ({ client } = await connectRootward(['--project', root, '--audit', join(root, 'audit.jsonl')], {
      roots: answering([{ uri: folders.uri('root') }]),
    }));
  }

  test.each([...Object.keys(CONTENT), '.ROOTWARD.json'])('%s', async (name) => {
    await connect();
    for (const [tool, args] of attempts(join(root, name))) {
      expect(await client.callTool(tool, args), `${tool} ${JSON.stringify(args)}`).toMatchObject({
        isError: true,
      });
    }
    for (const [file, text] of Object.entries(CONTENT)) {
      const now = readFileSync(join(root, file), 'utf8');
      // The trail grows with every refusal.
      expect(now.slice(0, file === 'audit.jsonl' ? 0 : undefined)).toBe(text);
    }
  });

  test('rootward.json through a link with another name', async () => {
    await connect();
    const path = join(root, 'link.json');
    for (const [tool, args] of attempts(path)) await client.callTool(tool, args);
    expect(readFileSync(join(root, 'rootward.json'), 'utf8')).toBe(CONTENT['rootward.json']);
  });

  test.each(['tools', 'config', 'sub'])('the folder %s, nor what would carry it away', async (name) => {
    await connect();
    const path = join(root, name);
    expect(await client.callTool('move_file', { source: path, destination: join(root, 'x') })).toMatchObject({
      isError: true,
    });
    expect(await client.callTool('delete_file', { path, recursive: true })).toMatchObject({ isError: true });
  });

  test('a link through which the tools project and the configuration were named', async () => {
    const top = join(folders.path('project'), 'linked');
    mkdirSync(join(top, 'real', 'tools'), { recursive: true });
    writeFileSync(join(top, 'real', 'mine.json'), '{}');
    symlinkSync('real', join(top, 'project'));
    symlinkSync('real', join(top, 'settings'));
    const named = ['--project', join(top, 'project'), '--config', join(top, 'settings', 'mine.json')];
    const { client: other } = await connectRootward([...named, '--root', top]);
    for (const path of [join(top, 'project'), join(top, 'settings')]) {
      const tries: readonly (readonly [string, Record<string, unknown>])[] = [
        ['delete_file', { path }],
        ['move_file', { source: path, destination: join(top, 'away') }],
        ['move_file', { source: join(top, 'other'), destination: path }],
      ];
      mkdirSync(join(top, 'other'), { recursive: true });
      for (const [tool, args] of tries) {
        expect([tool, await other.callTool(tool, args)]).toMatchObject([tool, { isError: true }]);
      }
      expect(lstatSync(path).isSymbolicLink()).toBe(true);
    }
  });

  test('a file that would be a configuration in force at the next start without --config', async () => {
    const home = join(folders.path('project'), 'home');
    const usual = join(home, '.config', 'rootward');
    mkdirSync(usual, { recursive: true });
    mkdirSync(join(home, 'tools-project'));
    writeFileSync(join(home, 'named.json'), '{}');
    const args = ['--config', join(home, 'named.json'), '--project', join(home, 'tools-project')];
    const env = { XDG_CONFIG_HOME: join(home, '.config') };
    const { client: other } = await connectRootward([...args, '--root', home], {}, { env });
    for (const folder of [usual, join(home, 'tools-project')]) {
      const path = join(folder, 'rootward.json');
      const result = await other.callTool('write_file', { path, content: '{"roots":["/"]}' });
      expect(result).toMatchObject({ isError: true });
      expect(existsSync(path)).toBe(false);
    }
  });

  test('a file that would be a configuration in force at the next start', async () => {
    const home = folders.path('project');
    const { client: other } = await connectRootward(
      ['--root', home],
      {},
      {
        env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') },
      },
    );
    mkdirSync(join(home, '.config', 'rootward'), { recursive: true });
    const path = join(home, '.config', 'rootward', 'rootward.json');
    expect(await other.callTool('write_file', { path, content: '{"roots":["/"]}' })).toMatchObject({
      isError: true,
    });
  });
});

describe('the tools project as a root', () => {
  const project = join(folders.path('project'), 'whole');
  const file = join(project, 'lib', 'common.sh');

  async function write(args: readonly string[]): Promise<boolean> {
    mkdirSync(join(project, 'lib'), { recursive: true });
    mkdirSync(join(project, 'tools'), { recursive: true });
    writeFileSync(file, 'before');
    const { client } = await connectRootward(['--project', project, ...args]);
    const result = await client.callTool('write_file', { path: file, content: 'after' });
    expect(readFileSync(file, 'utf8')).toBe(result['isError'] === true ? 'before' : 'after');
    return result['isError'] !== true;
  }

  test('is read-only as a whole: what is there runs with the next call', async () => {
    expect(await write([])).toBe(false);
  });

  test('stays so for a root inside it', async () => {
    expect(await write([join(project, 'lib')])).toBe(false);
  });

  test('can be changed where the operator says so, apart from what is protected anyway', async () => {
    expect(await write(['--writable-project'])).toBe(true);
    const { client } = await connectRootward(['--project', project, '--writable-project']);
    const path = join(project, 'tools', 'new.sh');
    expect(await client.callTool('write_file', { path, content: '' })).toMatchObject({ isError: true });
  });

  test('can be changed through a root above it, apart from tools/ and config/', async () => {
    expect(await write([folders.path('project')])).toBe(true);
  });
});

test('a tools/ that every user can change is warned about', async () => {
  const project = join(folders.path('project'), 'shared');
  mkdirSync(join(project, 'tools'), { recursive: true });
  chmodSync(join(project, 'tools'), 0o777);
  const { server, client } = await connectRootward(['--project', project]);
  await client.callTool('workspace_info');
  await eventually(() =>
    expect(server.stderr()).toContain('every user of this machine can change what runs from here'),
  );
});
