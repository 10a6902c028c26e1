import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compare } from './measure.js';
import type { Row, Section } from './row.js';

const SERVER = fileURLToPath(new URL('./mcp-server.js', import.meta.url));
const BATCHES = { batches: 15, perBatch: 200 };

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
  return [{ what: 'legacy call that needs roots', unit: 'µs', ours, peer, goal: 1.1 }];
}

async function modern(root: string): Promise<Row[]> {
  const [workspace, plain] = await Promise.all([
    connect('workspace', 'modern', root),
    connect('plain', 'modern', root),
  ]);
  const handle = await handleFrom(workspace);
  const [held = 0, asked = 0, peer = 0] = await compare(
    [call(workspace, { workspace: handle }), call(workspace), call(plain)],
    BATCHES,
  );
  await Promise.all([workspace.close(), plain.close()]);
  return [
    { what: 'modern call that needs roots, with a handle', unit: 'µs', ours: held, peer, goal: 1.2 },
    { what: 'modern call that needs roots, without a handle', unit: 'µs', ours: asked, peer, goal: 2.2 },
  ];
}

/** What roots cost a server of the SDK: the same call to the same tool over stdio, with and without them. */
export async function benchMcp(): Promise<Section> {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'rootward-bench-'));
  try {
    const rows = [...(await legacy(root)), ...(await modern(root))];
    return { title: 'A workspace in an MCP server (@rootward/mcp)', peer: 'the SDK alone', rows };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
