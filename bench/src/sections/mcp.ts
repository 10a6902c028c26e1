import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { whileAwake } from '../awake.js';
import { compare } from '../measure.js';
import type { Row, Section } from '../row.js';

const SERVER = fileURLToPath(new URL('../mcp-server.js', import.meta.url));
/** Many short batches: neighbours on the machine come and go, and each candidate should meet all of them. */
const BATCHES = { batches: 1001, perBatch: 10 };

async function connect(
  server: 'plain' | 'workspace',
  era: 'legacy' | 'modern',
  root: string,
): Promise<Client> {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    {
      capabilities: { roots: {} },
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
    },
  );
  const uri = pathToFileURL(root).href;
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri }] }));
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER, server] }));
  return client;
}

async function handleFrom(client: Client): Promise<string> {
  const { content } = await client.callTool({ name: 'handle' });
  const [first] = content;
  if (first?.type !== 'text' || first.text === '') throw new Error('Cannot measure: no handle was minted');
  return first.text;
}

const call =
  (client: Client, args: Record<string, unknown> = {}) =>
  (): Promise<unknown> =>
    client.callTool({ name: 'nothing', arguments: args });

async function legacy(root: string): Promise<Row[]> {
  const clients = await Promise.all([connect('workspace', 'legacy', root), connect('plain', 'legacy', root)]);
  const [ours = 0, peer = 0] = await compare(
    clients.map((client) => call(client)),
    BATCHES,
  );
  await Promise.all(clients.map((client) => client.close()));
  // The floor: each call looks for `.git` in the folders above its root, so as never to see working trees as they were
  // before it came. That is a system call for each folder, and they are a third of what is added.
  return [{ what: 'legacy call that needs roots', unit: 'µs', ours, peer, goal: 1.1 }];
}

/** What looking for working trees, and all the rest, adds to a call in a repository that has none but its own. */
async function repository(base: string): Promise<Row[]> {
  const root = join(base, 'repository');
  mkdirSync(join(root, '.git'), { recursive: true });
  writeFileSync(join(root, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  const clients = await Promise.all([connect('workspace', 'legacy', root), connect('plain', 'legacy', root)]);
  const [ours = 0, peer = 0] = await compare(
    clients.map((client) => call(client)),
    BATCHES,
  );
  await Promise.all(clients.map((client) => client.close()));
  const what = 'added to a legacy call in a repository without worktrees, over the SDK alone';
  return [{ what, unit: 'ms', ours: (ours - peer) / 1000, goal: 0.3 }];
}

/** A process for each candidate: one that has served the batch before would find its caches warm. */
async function modern(root: string): Promise<Row[]> {
  const clients = await Promise.all([
    connect('workspace', 'modern', root),
    connect('workspace', 'modern', root),
    connect('plain', 'modern', root),
  ]);
  const [holding, asking, plain] = clients;
  const handle = await handleFrom(holding);
  const [held = 0, asked = 0, peer = 0] = await compare(
    [call(holding, { workspace: handle }), call(asking), call(plain)],
    BATCHES,
  );
  await Promise.all(clients.map((client) => client.close()));
  return [
    { what: 'modern call that needs roots, with a handle', unit: 'µs', ours: held, peer, goal: 1.2 },
    { what: 'modern call that needs roots, without a handle', unit: 'µs', ours: asked, peer, goal: 2.2 },
  ];
}

/** What roots cost a server of the SDK: the same call to the same tool over stdio, with and without them. */
export async function benchMcp(): Promise<Section> {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-bench-'));
  try {
    const rows = await whileAwake(async () => [
      ...(await legacy(root)),
      ...(await repository(root)),
      ...(await modern(root)),
    ]);
    return { title: 'A workspace in an MCP server (@rootward/mcp)', peer: 'the SDK alone', rows };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
