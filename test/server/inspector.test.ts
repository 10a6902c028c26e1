import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { startHttp, TOKEN } from './fixtures/http.js';
import { bareEnvironment, makeFolders, PROGRAM } from './fixtures/rootward.js';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const manifestFile = require.resolve('@modelcontextprotocol/inspector/package.json');
const manifest = require(manifestFile) as { bin: Record<string, string> };
const INSPECTOR = join(dirname(manifestFile), manifest.bin['mcp-inspector'] ?? '');

const folders = makeFolders('a', 'config');

async function inspect(args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, [INSPECTOR, '--cli', ...args], {
    env: { ...bareEnvironment(folders.path('config')), MCP_INSPECTOR_SECRET_STORE: 'memory' },
    cwd: folders.path('config'),
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.each(['legacy', 'auto', 'modern'])('MCP Inspector, era %s', (era) => {
  const config = join(folders.path('config'), `${era}.json`);
  const server = {
    command: process.execPath,
    args: [PROGRAM],
    roots: [{ uri: folders.uri('a'), name: 'a' }],
  };
  writeFileSync(config, JSON.stringify({ mcpServers: { rootward: server } }));
  const common = ['--config', config, '--server', 'rootward', '--protocol-era', era];

  test('lists the tools', async () => {
    expect(await inspect([...common, '--method', 'tools/list'])).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: 'workspace_info' })]),
    });
  });

  test('reads a file of the root it was configured with', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'read_text_file', '--tool-arg', 'path=name.txt'];
    expect(await inspect([...common, ...call])).toMatchObject({ content: [{ type: 'text', text: 'a' }] });
  });
});

test('MCP Inspector reaches a server over HTTP with its token', async () => {
  const { url } = await startHttp([folders.path('a')]);
  const args = [
    url,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${TOKEN}`,
    '--method',
    'tools/call',
  ];
  const call = ['--tool-name', 'read_text_file', '--tool-arg', 'path=name.txt'];
  expect(await inspect([...args, ...call])).toMatchObject({ content: [{ text: 'a' }] });
});

test('MCP Inspector starts a wrapped server by its configuration, where its command line would remove "--"', async () => {
  const config = join(folders.path('config'), 'wrapped.json');
  const args = [PROGRAM, 'wrap', '--', process.execPath, PROGRAM, '--read-only'];
  const roots = [{ uri: folders.uri('a'), name: 'a' }];
  const server = { command: process.execPath, args, roots };
  writeFileSync(config, JSON.stringify({ mcpServers: { wrapped: server } }));
  const listing = ['--method', 'tools/list'];
  const tools = { tools: expect.arrayContaining([expect.objectContaining({ name: 'read_text_file' })]) };
  expect(await inspect(['--config', config, '--server', 'wrapped', ...listing])).toMatchObject(tools);
  await expect(
    inspect([
      process.execPath,
      PROGRAM,
      'wrap',
      '--',
      process.execPath,
      PROGRAM,
      '--toolsets',
      'files',
      ...listing,
    ]),
  ).rejects.toThrow('--toolsets');
});
