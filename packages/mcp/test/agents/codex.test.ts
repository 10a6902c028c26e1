import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { expect, test } from 'vitest';
import { connectInProcess, ScriptedClient, type Result } from '../../src/testing/index.js';
import { createServer, dataOf, errorOf, filesIn, Repository } from '../fixtures/agent-client.js';

/** What Codex 0.166 sends with a call: where its session works, and what its sandbox may write. */
function codexMeta(cwd: string, added: readonly string[] = []): Record<string, unknown> {
  const special = { type: 'special', value: 'tmpdir' };
  const entries = [
    { path: special, access: 'write' },
    { type: 'path', path: cwd, access: 'write' },
    ...added.map((path) => ({ type: 'path', path, access: 'write' })),
  ];
  return {
    'codex/sandbox-state-meta': {
      sandboxCwd: pathToFileURL(cwd).href,
      permissionProfile: { file_system: { entries } },
    },
  };
}

/** A server that Codex started in `cwd`, and a client that declares no roots, as Codex does. */
async function connect(cwd: string): Promise<ScriptedClient> {
  const connection = connectInProcess();
  serveStdio(() => createServer({ cwd }), { transport: connection.transport });
  const client = new ScriptedClient(connection, {
    era: 'legacy',
    protocolVersion: '2025-06-18',
    clientInfo: { name: 'codex-mcp-client', version: '0.166.0' },
  });
  await client.connect();
  return client;
}

test('Codex needs no hook: each call lands in the tree of its session', async () => {
  const repository = new Repository();
  const { main } = repository;
  const client = await connect(main);
  const write = (cwd: string, path: string): Promise<Result> =>
    client.callTool('write', { path, text: '' }, { meta: codexMeta(cwd) });
  expect(errorOf(await write(main, '0.new'))).toBeUndefined();
  const trees = [
    repository.addTree('inside', join(main, 'trees', 'inside')),
    repository.addTree('beside', join(repository.top, 'beside')),
  ];
  const results = await Promise.all(
    Array.from({ length: 60 }, (_, index) => write([main, ...trees][index % 3]!, `${index + 1}.new`)),
  );
  expect(results.map(errorOf)).toEqual(Array.from({ length: 60 }, () => undefined));
  expect([main, ...trees].map((tree) => filesIn(tree).length)).toEqual([21, 20, 20]);
  const info = await client.callTool('workspace_info', {}, { meta: codexMeta(trees[1]!) });
  expect(dataOf(info)).toMatchObject({
    roots: [`request ${trees[1]!}`],
    tree: { path: trees[1], branch: 'beside', known: 'request' },
  });
  await client.close();
});

test('a folder that Codex was given with --add-dir is a root, too', async () => {
  const repository = new Repository();
  const added = join(repository.top, 'added');
  mkdirSync(added);
  const client = await connect(repository.main);
  const meta = codexMeta(repository.main, [added]);
  const { roots } = dataOf(await client.callTool('workspace_info', {}, { meta }));
  expect(roots).toEqual([`request ${repository.main}`, `request ${added}`]);
  await client.close();
});
