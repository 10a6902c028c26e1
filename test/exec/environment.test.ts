import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../docs/pages.js';
import { runCommand } from './fixtures/run-command.js';
import { makeProject } from './fixtures/tools-project.js';

const project = makeProject({
  env: '#!/bin/sh\nenv',
  where: '#!/bin/sh\npwd -P',
  rooted: { script: '#!/bin/sh\npwd -P', meta: { cwd: 'root' } },
  filtered: `mcp_args_get '.a.b[1] // "none"'; mcp_args_get '.missing // empty'; mcp_args_get '.["x y"] | length'; mcp_args_get .flag`,
});
// A PATH without jq.
mkdirSync(join(project.path, 'bin'));
for (const name of ['bash', 'cat']) {
  const found = ['/bin', '/usr/bin'].map((folder) => join(folder, name)).find((file) => existsSync(file))!;
  symlinkSync(found, join(project.path, 'bin', name));
}
const secrets = {
  SECRET: 's3cret',
  GITHUB_TOKEN: 's3cret',
  ROOTWARD_TOKEN: 'tok-s3cret-tok-s3cret',
  ROOTWARD_HANDLE_KEY: 'key-s3cret-0123456789-0123456789-0123456789',
  MCP_ROOTS_JSON_FILE: '/stale',
  MCPBASH_MINE: 'mine',
  LANG: 'C.UTF-8',
};

async function environmentOf(mode: readonly string[]): Promise<Record<string, string>> {
  const args = ['run-tool', 'env', '--project', project.path, ...mode];
  const { out } = await runCommand(args, { env: secrets });
  return Object.fromEntries(
    out
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

describe('the environment of a tool', () => {
  test('is minimal by default, exactly', async () => {
    const {
      PATH,
      HOME,
      PWD: _pwd,
      MCP_SDK,
      MCPBASH_JSON_TOOL_BIN: _jq,
      MCP_NODE_BIN: _node,
      ...rest
    } = await environmentOf([]);
    expect([PATH, HOME, MCP_SDK].every((value) => value !== undefined && value !== '')).toBe(true);
    expect(rest).toEqual({
      LANG: 'C.UTF-8',
      MCPBASH_MINE: 'mine',
      MCPBASH_PROJECT_ROOT: project.path,
      MCPBASH_CLIENT_SUPPORTS_UI: '0',
      MCP_DOWNLOAD_HOSTS: '',
      MCP_ELICIT_SUPPORTED: '0',
      MCP_ELICIT_RESPONSE_FILE: expect.stringContaining('answer') as string,
      MCP_TOOL_RESOURCES_FILE: expect.stringContaining('resources.json') as string,
      MCP_TOOL_NAME: 'env',
      MCP_TOOL_PATH: join(project.path, 'tools/env/tool.sh'),
      MCP_TOOL_ARGS_JSON: '{}',
      MCP_TOOL_METADATA_JSON: '{"name":"env","description":"env","timeoutSecs":600}',
      MCP_TOOL_ERROR_FILE: expect.stringContaining('error.json') as string,
      MCP_CANCEL_FILE: expect.stringContaining('cancelled') as string,
      MCP_CHANNEL_FD: '7',
      MCP_CHANNEL_TAG: expect.stringMatching(/^[0-9a-f]{16}-\d+-$/) as string,
      MCP_ROOTS_JSON: expect.stringContaining('"path"') as string,
      MCP_ROOTS_PATHS: project.path,
      MCP_ROOTS_COUNT: '1',
    });
  });

  test('is in the guide, every variable of it', async () => {
    const guide = readFileSync(join(repository, 'docs', 'executable-tools.md'), 'utf8');
    const names = Object.keys(await environmentOf([])).filter((name) => name.startsWith('MCP'));
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => name !== 'MCPBASH_MINE' && !guide.includes(`\`${name}\``))).toEqual([]);
  });

  test('holds more where the operator says so, and never what opens the server itself', async () => {
    const [inherit, allow] = await Promise.all([
      environmentOf(['--tool-env', 'inherit']),
      environmentOf(['--tool-env', 'allow:SECRET,ROOTWARD_TOKEN']),
    ]);
    expect(inherit).toMatchObject({ SECRET: 's3cret', GITHUB_TOKEN: 's3cret' });
    expect(allow['SECRET']).toBe('s3cret');
    expect(allow['GITHUB_TOKEN']).toBeUndefined();
    for (const environment of [inherit, allow]) {
      expect(JSON.stringify(environment)).not.toMatch(/tok-s3cret|key-s3cret|stale/);
    }
  });
});

test('a tool runs in the project, or in the first root where its metadata says so', async () => {
  const root = join(project.path, 'tools');
  const [where, rooted] = await Promise.all(
    ['where', 'rooted'].map((name) =>
      runCommand(['run-tool', name, '--project', project.path, '--roots', root]),
    ),
  );
  expect(where!.out.trim()).toBe(project.path);
  expect(rooted!.out.trim()).toBe(root);
});

test('arguments are read without jq as with it', async () => {
  const args = [
    'run-tool',
    'filtered',
    '--project',
    project.path,
    '--args',
    '{"a":{"b":[1,"two"]},"x y":"abc","flag":false}',
  ];
  const [withJq, without] = await Promise.all([
    runCommand(args),
    runCommand(args, { env: { PATH: join(project.path, 'bin') } }),
  ]);
  expect(withJq.out).toBe('two\n3\nfalse\n');
  expect(without.out).toBe(withJq.out);
});
