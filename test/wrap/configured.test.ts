import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectToProcess, ScriptedClient } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { INNER, jsonOf, makeFolder, PROGRAM, PYTHON, roots, textOf } from './fixtures/wrapped.js';

const { PATH } = process.env;

function configured(wrap: object): string {
  const file = join(makeFolder('config'), 'rootward.json');
  writeFileSync(file, JSON.stringify({ wrap, toolsets: ['workspace'] }));
  return file;
}

async function serve(wrap: object, folder: string, ...args: string[]): Promise<ScriptedClient> {
  const connection = connectToProcess(process.execPath, {
    args: [PROGRAM, '--config', configured(wrap), ...args],
    cwd: folder,
    env: { PATH, HOME: makeFolder('home'), PWD: folder },
  });
  const capabilities = { elicitation: {}, sampling: {} };
  const client = new ScriptedClient(connection, { roots: roots(folder), capabilities });
  await client.connect();
  return client;
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
