import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { answering, inTurn, refusing, silent } from '@rootward/mcp/testing';
import { describe, expect, test } from 'vitest';
import { connectRootward, makeFolders, startRootward, textOf } from '../server/fixtures/rootward.js';
import { makeProject } from './fixtures/tools-project.js';

const folders = makeFolders('a', 'b', 'c d');
const project = makeProject({
  roots: 'mcp_roots_list',
  contains: 'if mcp_roots_contains "$(mcp_args_get .path)"; then echo in; else echo out; fi',
  path: 'mcp_require_path .path',
  dump: 'printf "%s" "${MCP_ROOTS_JSON:-}"',
  hold: 'mcp_roots_list; mcp_progress 1 started; while [ ! -e "$(mcp_args_get .until)" ]; do read -t 0.02 -r _ < <(:) || true; done; echo; mcp_roots_list',
});
const args = ['--project', project.path];
const a = answering([{ uri: folders.uri('a') }]);
const b = answering([{ uri: folders.uri('b') }]);

async function rootsOf(client: {
  callTool(name: string): Promise<Readonly<Record<string, unknown>>>;
}): Promise<readonly string[]> {
  return textOf(await client.callTool('roots'))
    .split('\n')
    .filter((line) => line !== '');
}

describe('an executable tool', () => {
  test('runs with the roots of the client, also when called before the first answer', async () => {
    const { client } = await connectRootward(args, { roots: silent });
    const call = client.callTool('roots');
    await client.whenAsked(1);
    client.asked[0]!.answer([{ uri: folders.uri('a') }, { uri: folders.uri('b'), name: 'B' }]);
    expect(textOf(await call)).toBe(`${folders.path('a')}\n${folders.path('b')}`);
  });

  test('sees canonical, decoded, deduplicated roots, and none that is no local file', async () => {
    const link = join(folders.top, 'link');
    symlinkSync(folders.path('a'), link);
    const { client } = await connectRootward(args, {
      roots: answering([
        { uri: 'https://example.com/x' },
        { uri: 'file://elsewhere.example/x' },
        { uri: pathToFileURL(link).href, name: 'Linked' },
        { uri: folders.uri('a') },
        { uri: `${folders.uri('c d')}/` },
        { uri: `${folders.uri('b')}/missing` },
      ]),
    });
    expect(JSON.parse(textOf(await client.callTool('dump')))).toEqual([
      { uri: folders.uri('a'), name: 'Linked', path: folders.path('a') },
      { uri: folders.uri('c d'), name: 'c d', path: folders.path('c d') },
    ]);
  });

  test('gets the fallback where the client has no roots, and the project itself without one', async () => {
    const { client } = await connectRootward(args);
    expect(await rootsOf(client)).toEqual([project.path]);
    const withData = makeProject({ roots: 'mcp_roots_list' });
    mkdirSync(join(withData.path, 'data'));
    withData.write('config/roots.json', '{"roots":[{"path":"./data"},{"path":"./missing"}]}');
    const second = await connectRootward(['--project', withData.path]);
    expect(await rootsOf(second.client)).toEqual([join(withData.path, 'data')]);
    const third = await connectRootward(
      ['--project', withData.path],
      {},
      {
        env: { MCPBASH_ROOTS: `data:${folders.path('b')}` },
      },
    );
    expect(await rootsOf(third.client)).toEqual([join(withData.path, 'data'), folders.path('b')]);
  });

  test('is not affected by answers that come late, twice, or to nobody', async () => {
    const { client } = await connectRootward(args, { roots: silent, listChanged: true });
    await client.whenAsked(1);
    client.send({ jsonrpc: '2.0', id: 'nobody', result: { roots: [{ uri: folders.uri('b') }] } });
    client.asked[0]!.answer([{ uri: folders.uri('a') }]);
    client.changeRoots(b);
    await client.whenAsked(2);
    client.asked[0]!.answer([{ uri: folders.uri('c d') }]);
    expect(await rootsOf(client)).toEqual([folders.path('b')]);
  });

  test('gets new roots after a request that was never answered, and after changes in quick succession', async () => {
    const { client } = await connectRootward(args, { roots: inTurn(silent, a, b), listChanged: true });
    await client.whenAsked(1);
    // Waits as long as a silent client is waited for, once.
    expect(await rootsOf(client)).toEqual([project.path]);
    client.changeRoots();
    await client.whenAsked(2);
    // It works where relative paths start, which the session has to see first.
    expect((await rootsOf(client))[0]).toContain('is no longer a root');
    await client.callTool('list_allowed_directories');
    expect(await rootsOf(client)).toEqual([folders.path('a')]);
    client.changeRoots(undefined, 2);
    await client.callTool('list_allowed_directories');
    expect(await rootsOf(client)).toEqual([folders.path('b')]);
  });

  test('keeps its roots when a refresh fails, and loses them when the client takes them back', async () => {
    const { client } = await connectRootward(['--project', project.path, '--within', folders.top], {
      roots: inTurn(a, refusing(-32_000, 'no'), answering([])),
      listChanged: true,
    });
    expect(await rootsOf(client)).toEqual([folders.path('a')]);
    client.changeRoots();
    await client.whenAsked(2);
    expect(await rootsOf(client)).toEqual([folders.path('a')]);
    client.changeRoots();
    await client.whenAsked(3);
    expect(await rootsOf(client)).toEqual([]);
  });

  test('keeps the roots it started with while it runs', async () => {
    const until = join(folders.top, 'go');
    const { client } = await connectRootward(args, { roots: inTurn(a, b), listChanged: true });
    const call = client.callTool('hold', { until }, { meta: { progressToken: 1 } });
    await client.until(() => client.received.some((m) => 'method' in m && m.method.endsWith('progress')));
    client.changeRoots();
    await client.callTool('list_allowed_directories');
    expect(await rootsOf(client)).toEqual([folders.path('b')]);
    writeFileSync(until, '');
    expect(textOf(await call)).toBe(`${folders.path('a')}\n${folders.path('a')}`);
  });

  test('is denied everything when there are no roots', async () => {
    const { client } = await connectRootward(['--project', project.path, '--within', folders.top], {
      roots: inTurn(a, answering([])),
      listChanged: true,
    });
    expect(await rootsOf(client)).toEqual([folders.path('a')]);
    client.changeRoots();
    await client.whenAsked(2);
    expect(textOf(await client.callTool('contains', { path: folders.path('a') }))).toBe('out\n');
    await expect(client.callTool('path', { path: folders.path('a') })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('no roots') as string,
    });
  });

  test('works on a modern connection with the roots the request brings', async () => {
    const { client } = await connectRootward(args, { era: 'modern', roots: a });
    expect(await rootsOf(client)).toEqual([folders.path('a')]);
    const info = await client.callTool('workspace_info');
    const { workspace } = info['structuredContent'] as { workspace?: string };
    const asked = client.asked.length;
    expect(textOf(await client.callTool('roots', { workspace }))).toBe(folders.path('a'));
    expect(client.asked).toHaveLength(asked);
  });

  test('gets 5,000 roots', async () => {
    const many = makeFolders();
    const roots = Array.from({ length: 5000 }, (_, index) => join(many.top, `root-${index}`));
    for (const root of roots) mkdirSync(root);
    const { client } = await connectRootward(args, {
      roots: answering(roots.map((root) => ({ uri: pathToFileURL(root).href }))),
    });
    expect(await rootsOf(client)).toEqual(roots);
    expect(textOf(await client.callTool('contains', { path: `${roots[4999]!}/x` }))).toBe('in\n');
    expect(textOf(await client.callTool('contains', { path: many.top }))).toBe('out\n');
  });
});

describe('rootward --project', () => {
  test.each([
    ['MCPBASH_ROOTS', { MCPBASH_ROOTS: '/no/such/folder' }, '/no/such/folder'],
    ['ROOTWARD_ROOTS', { ROOTWARD_ROOTS: '/no/such/folder' }, '/no/such/folder'],
  ])('does not start with a bad path in %s', async (_name, env, culprit) => {
    const server = startRootward(args, { env });
    expect(await server.exit).toBe(2);
    expect(server.stderr()).toContain(culprit);
  });

  test('leaves at once when the client does, with a roots request unanswered', async () => {
    const { server, client } = await connectRootward(args, { roots: silent });
    await client.whenAsked(1);
    server.output.end();
    expect(await server.exit).toBe(0);
  });
});
