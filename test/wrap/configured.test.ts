import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectToProcess, ScriptedClient, type SpawnedConnection } from '@rootward/mcp/testing';
import { findBackends } from '@rootward/sandbox';
import { describe, expect, test } from 'vitest';
import { INNER, jsonOf, makeFolder, PROGRAM, PYTHON, roots, textOf } from './fixtures/wrapped.js';

const { PATH } = process.env;

function configured(wrap: object, more: object = {}): string {
  const file = join(makeFolder('config'), 'rootward.json');
  writeFileSync(file, JSON.stringify({ wrap, toolsets: ['workspace'], ...more }));
  return file;
}

async function serve(wrap: object, folder: string, ...args: string[]): Promise<ScriptedClient> {
  return (await start(configured(wrap), folder, ...args)).client;
}

async function start(
  config: string,
  folder: string,
  ...args: string[]
): Promise<{ readonly client: ScriptedClient; readonly connection: SpawnedConnection }> {
  const connection = connectToProcess(process.execPath, {
    args: [PROGRAM, '--config', config, ...args],
    cwd: folder,
    env: { PATH, HOME: makeFolder('home'), PWD: folder },
  });
  const capabilities = { elicitation: {}, sampling: {} };
  const client = new ScriptedClient(connection, { roots: roots(folder), capabilities });
  await client.connect();
  return { client, connection };
}

function warningsIn(text: string): readonly unknown[] {
  const lines = text.split('\n').filter((line) => line.includes('a wrapped server runs without a sandbox'));
  return lines.map((line) => JSON.parse(line) as unknown);
}

async function names(client: ScriptedClient): Promise<readonly string[]> {
  const { tools } = await client.request('tools/list');
  return (tools as { name: string }[]).map(({ name }) => name);
}

describe('wrap in rootward.json', () => {
  const inner = { command: process.execPath, args: [INNER, '{roots}'], env: { FOLDER: '{root}' } };

  test('offers the tools of several servers, each under its prefix and in the roots of the client', async () => {
    const [folder, other] = [makeFolder('a'), makeFolder('b')];
    const client = await serve(
      { js: { ...inner, tools: ['where', 'echo'] }, py: { command: 'python3', args: [PYTHON] } },
      folder,
    );
    expect((await names(client)).filter((name) => /^(js|py)_/.test(name))).toEqual([
      'js_where',
      'js_echo',
      'py_where',
      'py_add',
    ]);
    expect(jsonOf(await client.callTool('js_where'))).toMatchObject({ cwd: folder, args: [folder], folder });
    expect(textOf(await client.callTool('py_where'))).toBe(folder);
    expect(textOf(await client.callTool('py_add', { a: 2, b: 3 }))).toBe('5');
    client.changeRoots(roots(other));
    expect(jsonOf(await client.callTool('js_where'))).toMatchObject({ cwd: other });
    await expect(client.callTool('js_crash')).rejects.toThrow('not found');
    await client.close();
  });

  test('--tools and --hide-tools hold for its tools, by their names with the prefix', async () => {
    const client = await serve({ js: inner }, makeFolder('a'), '--tools', 'js_*', '--hide-tools', 'js_echo');
    const all = await names(client);
    expect(all).toContain('js_where');
    expect(all.filter((name) => !name.startsWith('js_') || name === 'js_echo')).toEqual([]);
    await expect(client.callTool('js_echo', { text: 'x' })).rejects.toThrow('not found');
    await client.close();
  });

  test('offers no resources of its servers, and refuses what they ask the client', async () => {
    const folder = makeFolder('a');
    const client = await serve({ js: inner }, folder);
    expect(textOf(await client.callTool('js_elicit'))).toBe('refused');
    expect(textOf(await client.callTool('js_sample'))).toBe('refused');
    await expect(client.request('resources/subscribe', { uri: 'x://1' })).rejects.toThrow('x://1');
    await client.close();
  });

  test('goes on without one that does not start', async () => {
    const client = await serve({ bad: { ...inner, args: [INNER, '--exit'] }, good: inner }, makeFolder('a'));
    const all = await names(client);
    expect(all).toContain('good_where');
    expect(all.some((name) => name.startsWith('bad_'))).toBe(false);
    await client.close();
  });

  test('in a sandbox they are held to the rules of the operator, and without one there is a warning', async (context) => {
    if (!(await findBackends({})).some(({ name, backend }) => name === 'bubblewrap' && backend))
      context.skip();
    const folder = makeFolder('a');
    for (const name of ['open.txt', 'secret.txt']) writeFileSync(join(folder, name), name);
    const env = { READING_TOOL: 'write' };
    const held = { ...inner, env, sandbox: 'write' };
    const config = configured({ held, free: { ...inner, env } }, { deny: ['secret.*'] });
    const { client, connection } = await start(config, folder);
    const write = async (tool: string, name: string): Promise<string> =>
      textOf(await client.callTool(tool, { path: join(folder, name) }));
    expect(await write('held_write', 'new.txt')).toBe('written');
    expect(await write('held_write', 'secret.txt')).toMatch(/EACCES|EROFS|EPERM/);
    expect(readFileSync(join(folder, 'secret.txt'), 'utf8')).toBe('secret.txt');
    await client.close();

    const fixed = await start(config, folder, '--read-only');
    expect(textOf(await fixed.client.callTool('held_write', { path: join(folder, 'open.txt') }))).toMatch(
      /EACCES|EROFS|EPERM/,
    );
    expect(readFileSync(join(folder, 'open.txt'), 'utf8')).toBe('open.txt');
    await fixed.client.close();
    const denies = `"deny" in ${config}`;
    await Promise.all([connection.exit, fixed.connection.exit]);
    expect(warningsIn(connection.stderr())).toMatchObject([{ server: 'free', rules: [denies] }]);
    expect(warningsIn(fixed.connection.stderr())).toMatchObject([
      { server: 'free', rules: ['--read-only', denies] },
    ]);
  });

  test.each([
    [{ git: { commnd: 'x' } }, 'command'],
    [{ 'a b': inner }, 'wrap.a b'],
    [{ git: { command: 'no-such-program-anywhere' } }, 'no folder of PATH has it ("wrap.git")'],
  ])('stops the start where it is wrong: %j', async (wrap, reason) => {
    const started = connectToProcess(process.execPath, {
      args: [PROGRAM, '--config', configured(wrap)],
      cwd: makeFolder('a'),
      env: { PATH, HOME: makeFolder('home') },
    });
    started.output.end();
    expect(await started.exit).toBe(2);
    expect(started.stderr()).toContain(reason);
  });
});
