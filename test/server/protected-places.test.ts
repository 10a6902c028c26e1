import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answering, type ScriptedClient } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { makeRepository } from '../../testing/git.js';
import { temporaryFolder } from '../../testing/temporary-folders.js';
import { connectRootward, textOf } from './fixtures/rootward.js';

const { folder } = temporaryFolder('places');

async function connect(root: string, env: NodeJS.ProcessEnv = {}): Promise<ScriptedClient> {
  const roots = answering([{ uri: pathToFileURL(root).href }]);
  return (await connectRootward([], { roots }, { env })).client;
}

async function refusal(client: ScriptedClient, tool: string, args: Record<string, unknown>): Promise<string> {
  const result = await client.callTool(tool, args);
  expect(result, `${tool} ${JSON.stringify(args)}`).toMatchObject({ isError: true });
  return textOf(result);
}

test('no tool plants a configuration for git, and the answer says why', async () => {
  const root = folder('git');
  makeRepository(root);
  const client = await connect(root);
  const proof = join(root, 'ran');
  await client.callTool('create_directory', { path: join(root, 'prepared', 'objects') });
  await client.callTool('create_directory', { path: join(root, 'prepared', 'refs') });
  const program = join(root, 'program.sh');
  writeFileSync(program, `#!/bin/sh\necho > '${proof}'\n`, { mode: 0o755 });
  const content = `[core]\n\tfsmonitor = ${program}\n`;
  await client.callTool('write_file', { path: join(root, 'prepared', 'config'), content });
  const plan = { path: join(root, '.git', 'commondir'), content: '../prepared\n' };
  const text = await refusal(client, 'write_file', plan);
  expect(text).toContain('git runs programs that files in its folders name');
  await refusal(client, 'edit_file', {
    path: join(root, '.git', 'config'),
    edits: [{ oldText: '[core]', newText: content }],
  });
  await refusal(client, 'copy_file', {
    source: join(root, 'prepared', 'config'),
    destination: join(root, '.git', 'config.worktree'),
  });
  await refusal(client, 'move_file', { source: join(root, '.git'), destination: join(root, '.old') });
  await refusal(client, 'move_file', {
    source: join(root, 'prepared'),
    destination: join(root, 'other', '.git'),
  });
  await refusal(client, 'delete_file', { path: join(root, '.git'), recursive: true });
  await refusal(client, 'create_directory', { path: join(root, 'sub', '.GIT') });
  expect(textOf(await client.callTool('read_text_file', { path: join(root, '.git', 'HEAD') }))).toContain(
    'ref:',
  );
  execFileSync('git', ['status'], { cwd: root, stdio: 'pipe' });
  expect(existsSync(proof)).toBe(false);
  // The same by hand.
  writeFileSync(plan.path, plan.content);
  execFileSync('git', ['status'], { cwd: root, stdio: 'pipe' });
  expect(existsSync(proof)).toBe(true);
});

test.each([
  '.opencode/plugins/x.js',
  '.gemini/hooks/x.sh',
  '.github/mcp.json',
  '.junie/mcp/mcp.json',
  '.continue/mcpServers/x.yaml',
  '.kilo/kilo.jsonc',
  'opencode.jsonc',
  '.windsurf/mcp.json',
])('no tool writes %s', async (name) => {
  const root = folder(`client-${name.replaceAll('/', '-')}`);
  mkdirSync(dirname(join(root, name)), { recursive: true });
  const client = await connect(root);
  expect(await refusal(client, 'write_file', { path: join(root, name), content: '{}' })).toContain(
    'runs what it says',
  );
  expect(existsSync(join(root, name))).toBe(false);
});

async function start(): Promise<{ root: string; client: ScriptedClient; kept: readonly string[] }> {
  const root = folder(`kept-${readdirSync(dirname(folder('kept'))).length}`);
  const env = {
    HOME: join(root, 'home'),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CONFIG_HOME: join(root, 'config'),
    XDG_CACHE_HOME: join(root, 'cache'),
    XDG_RUNTIME_DIR: join(root, 'run'),
    TMPDIR: join(root, 'tmp'),
  };
  const kept = [
    ...['state', 'config', 'cache', 'run'].map((name) => join(root, name, 'rootward')),
    join(root, 'tmp', `rootward-${process.getuid?.() ?? -1}`),
    join(root, 'home', '.local', 'state', 'rootward'),
  ];
  for (const path of kept) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    writeFileSync(join(path, 'kept.txt'), 'needle');
  }
  return { root, client: await connect(root, env), kept };
}

describe('what Rootward keeps is out of reach of every tool', () => {
  test('though a root holds it', async () => {
    const { root, client, kept } = await start();
    const open = join(root, 'open.txt');
    await client.callTool('write_file', { path: open, content: 'needle' });
    for (const path of [...kept, ...kept.map((each) => join(each, 'kept.txt'))]) {
      const attempts: readonly (readonly [string, Record<string, unknown>])[] = [
        ['read_text_file', { path }],
        ['list_directory', { path }],
        ['directory_tree', { path }],
        ['search_files', { path, pattern: '**' }],
        ['search_content', { path, pattern: 'needle' }],
        ['get_file_info', { path }],
        ['write_file', { path, content: 'x' }],
        ['create_directory', { path: join(path, 'x') }],
        ['move_file', { source: path, destination: join(root, 'moved') }],
        ['move_file', { source: open, destination: path }],
        ['copy_file', { source: path, destination: join(root, 'copy') }],
        ['delete_file', { path, recursive: true }],
      ];
      for (const [tool, args] of attempts) await refusal(client, tool, args);
    }
    for (const path of kept) {
      await refusal(client, 'move_file', { source: dirname(path), destination: join(root, 'moved') });
      await refusal(client, 'delete_file', { path: dirname(path), recursive: true });
      expect(readFileSync(join(path, 'kept.txt'), 'utf8')).toBe('needle');
    }
    expect(readdirSync(join(root, 'state', 'rootward'))).toContain('history');
  });

  test('and is left out of listings, trees and searches', async () => {
    const { root, client } = await start();
    await client.callTool('write_file', { path: join(root, 'open.txt'), content: 'needle' });
    const found = textOf(await client.callTool('search_content', { path: root, pattern: 'needle' }));
    expect(found).toContain('open.txt');
    expect(found).not.toContain('kept.txt');
    for (const [tool, args] of [
      ['directory_tree', { path: root }],
      ['search_files', { path: root, pattern: '**/*.txt' }],
      ['list_directory', { path: join(root, 'state') }],
    ] as const) {
      const text = textOf(await client.callTool(tool, args));
      expect(`${tool} ${text}`).not.toMatch(/kept\.txt|state.rootward/);
    }
  });
});
