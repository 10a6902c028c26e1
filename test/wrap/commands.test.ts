import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findBackends } from '@rootward/sandbox';
import { describe, expect, test } from 'vitest';
import { SERVERS } from './fixtures/servers.js';
import { INNER, makeFolder, PROGRAM } from './fixtures/wrapped.js';

const NODE = process.execPath;
const folder = makeFolder('work');
const canSandbox = (await findBackends({})).some(({ backend }) => backend !== undefined);

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(...args: readonly string[]): Promise<Ended> {
  return runWith({}, ...args);
}

function runWith(set: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<Ended> {
  const { PATH } = process.env;
  const env = { PATH, HOME: makeFolder('home'), PWD: folder, ...set };
  return new Promise((resolve) => {
    execFile(NODE, [PROGRAM, ...args], { cwd: folder, env }, (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err });
    });
  });
}

test('rootward wrap checks the language servers of a configuration, which it does not use', async () => {
  const file = join(folder, 'rootward.json');
  writeFileSync(file, JSON.stringify({ languageServers: { mine: { args: ['--stdio'] } } }));
  const { code, err } = await run('wrap', '--config', file, '--root', folder, '--', NODE, INNER);
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining('"languageServers.mine.command": expected a program'),
  });
  rmSync(file);
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

  test('sets the variables for it that wrap would set', async () => {
    const script = `if (process.env.PLACE !== process.cwd()) process.exit(5); import(${JSON.stringify(INNER)});`;
    const bare = await run('doctor', '--', NODE, '-e', script);
    expect(bare).toMatchObject({ code: 1, out: expect.stringContaining('exit code 5') });
    const set = await run('doctor', '--set-env', 'PLACE={root}', '--', NODE, '-e', script);
    expect(set).toMatchObject({ code: 0, out: expect.stringContaining('inner 1.0.0') });
    expect(await run('doctor', '--set-env', 'PLACE', '--', NODE, '-e', script)).toMatchObject({ code: 2 });
  });

  test.runIf(canSandbox)('starts it in the sandbox that wrap would use, and says in which', async () => {
    const outside = join(makeFolder('outside'), 'secret.txt');
    writeFileSync(outside, 'secret');
    const server = join(makeFolder('server'), 'reader.mjs');
    const script = `import { readFileSync } from 'node:fs';
try { if (readFileSync(${JSON.stringify(outside)}, 'utf8')) process.exit(5); } catch {}
await import(${JSON.stringify(INNER)});
`;
    writeFileSync(server, script);
    const config = join(makeFolder('config'), 'rootward.json');
    writeFileSync(config, JSON.stringify({ sandbox: { level: 'strict', read: [dirname(INNER)] } }));
    const free = await run('doctor', '--', NODE, server);
    expect(free.out).toContain('off: it can do whatever you can');
    expect(free).toMatchObject({ code: 1, out: expect.stringContaining('exit code 5') });
    const held = await run('doctor', '--config', config, '--', NODE, server);
    expect(held).toMatchObject({ code: 0, out: expect.stringMatching(/sandbox +strict, \S+ .*guarantee/) });
    expect(held.out).toContain('inner 1.0.0');
  });

  test.each([
    [
      ['--sandbox', 'strict'],
      { ROOTWARD_SANDBOX_BACKENDS: 'none' },
      'Cannot provide the sandbox level strict',
    ],
    [['--read-only'], {}, 'Cannot use --read-only for a wrapped server without a sandbox'],
    [[], { ROOTWARD_LIMITS: 'sessions=1' }, 'Cannot use ROOTWARD_LIMITS for a wrapped server'],
  ])('does not start it with %j and %j, as wrap would not', async (flags, env, reason) => {
    const started = join(makeFolder('server'), 'started');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(started)}, '')`;
    const { code, out } = await runWith(env, 'doctor', '--json', ...flags, '--', NODE, '-e', script);
    expect(code).toBe(1);
    const { findings } = JSON.parse(out) as { findings: { state: string; detail: string }[] };
    expect(findings).toMatchObject([{ state: 'problem', detail: expect.stringContaining(reason) }]);
    expect(existsSync(started)).toBe(false);
  });

  test('says which rules do not hold without a sandbox', async () => {
    const config = join(makeFolder('config'), 'rootward.json');
    writeFileSync(config, JSON.stringify({ deny: ['*.key'] }));
    const { out } = await run('doctor', '--json', '--config', config, '--', NODE, INNER);
    const { findings } = JSON.parse(out) as { findings: object[] };
    const detail = expect.stringContaining(`so these rules do not hold for it`) as string;
    expect(findings).toContainEqual({ topic: 'sandbox', state: 'note', detail });
    expect(out).toContain(config);
  });
});
