import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SERVERS } from './fixtures/servers.js';
import { INNER, makeFolder, PROGRAM } from './fixtures/wrapped.js';

const NODE = process.execPath;
const folder = makeFolder('work');

function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const { PATH } = process.env;
  const env = { PATH, HOME: makeFolder('home'), PWD: folder };
  return new Promise((resolve) => {
    execFile(NODE, [PROGRAM, ...args], { cwd: folder, env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

test('rootward wrap checks the language servers of a configuration without the library that runs them', async () => {
  const file = join(folder, 'rootward.json');
  writeFileSync(file, JSON.stringify({ languageServers: { mine: { args: ['--stdio'] } } }));
  const { code, err } = await run('wrap', '--config', file, '--root', folder, '--', NODE, INNER);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining('"languageServers.mine.command": expected a program'),
  });
  rmSync(file);
  const program = readFileSync(join(dirname(PROGRAM), 'wrap.cjs'), 'utf8');
  expect(program).not.toContain('textDocument/');
});

describe('rootward config -- COMMAND', () => {
  test('prints the entry of a wrapped server, with what a well-known one needs', async () => {
    const { code, out } = await run(
      'config',
      '--client',
      'cursor',
      '--name',
      'git',
      '--',
      'uvx',
      'mcp-server-git',
      '--verbose',
    );
    expect(code).toBe(0);
    const { mcpServers } = JSON.parse(out) as { mcpServers: Record<string, { args: string[] }> };
    expect(Object.keys(mcpServers)).toEqual(['git']);
    expect(mcpServers['git']!.args.slice(-6)).toEqual([
      '--',
      'uvx',
      'mcp-server-git',
      '--verbose',
      '--repository',
      '{root}',
    ]);
  });

  test('names the folders as roots, and keeps what was named already', async () => {
    const server = ['npx', '-y', '@modelcontextprotocol/server-filesystem', '/data'];
    const { out } = await run('config', '--client', 'cursor', '--name', 'mine', '.', '--', ...server);
    const { mcpServers } = JSON.parse(out) as { mcpServers: Record<string, { args: string[] }> };
    expect(mcpServers['mine']!.args.slice(-8)).toEqual(['wrap', '--root', folder, '--', ...server]);
  });
});

describe('rootward install -- COMMAND', () => {
  test('writes it', async () => {
    const { code, err } = await run(
      'install',
      '--client',
      'claude-code',
      '--scope',
      'project',
      '--name',
      'inner',
      '--yes',
      '--',
      NODE,
      INNER,
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    const written = readFileSync(join(folder, '.mcp.json'), 'utf8');
    expect(JSON.parse(written)).toMatchObject({
      mcpServers: { inner: { args: expect.arrayContaining(['wrap', INNER]) } },
    });
  });
});

describe('rootward doctor -- COMMAND', () => {
  test('starts the server and tells what it asked for', async () => {
    const { command } = SERVERS[1]!;
    const { code, out } = await run('doctor', '--', ...command.slice(0, 2));
    expect(out).toContain('secure-filesystem-server');
    expect(out).toContain('it asked for roots');
    expect(out).toContain('has to be told its folders: add {roots}');
    expect(out).toContain('(https://github.com/modelcontextprotocol/servers/');
    expect(code).toBe(0);
  });

  test('tells what is wrong with one that does not start', async () => {
    const { code, out } = await run('doctor', '--', NODE, INNER, '--exit');
    expect(out).toContain('exit code 3');
    expect(out).toContain('no configuration found');
    expect(code).toBe(1);
  });
});
