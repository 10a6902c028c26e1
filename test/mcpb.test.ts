import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('..', import.meta.url));
const CANNOT_FETCH = 3;

interface BundleManifest {
  readonly server: {
    readonly entry_point: string;
    readonly mcp_config: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
  };
  readonly tools: readonly { readonly name: string }[];
  readonly user_config: Readonly<Record<string, unknown>>;
}

test('npm run bundle:mcpb builds a valid bundle whose server lists the tools its manifest announces', async ({
  skip,
  onTestFinished,
}) => {
  const built = spawnSync(process.execPath, [join(repository, 'scripts', 'bundle-mcpb.mjs')], {
    encoding: 'utf8',
  });
  skip(built.status === CANNOT_FETCH, 'the tool that packs comes from the registry, which is out of reach');
  expect(built).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(join(repository, 'dist', 'rootward.mcpb'))).toBe(true);

  const folder = join(repository, 'dist', 'mcpb');
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as BundleManifest;
  const open = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-mcpb-')));
  onTestFinished(() => rmSync(open, { recursive: true, force: true }));
  const { args, env } = manifest.server.mcp_config;
  const values: Readonly<Record<string, string>> = {
    __dirname: folder,
    'user_config.directories': open,
    'user_config.read_only': 'false',
  };
  const fill = (text: string): string =>
    text.replaceAll(/\$\{([\w.]+)\}/g, (_, name: string) => values[name]!);
  const client = new Client({ name: 'bundle', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: args.map(fill),
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
      stderr: 'ignore',
    }),
  );
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual(manifest.tools.map(({ name }) => name).sort());
  writeFileSync(join(open, 'notes.txt'), 'served from a bundle');
  expect(await client.callTool({ name: 'read_text_file', arguments: { path: 'notes.txt' } })).toMatchObject({
    content: [{ text: 'served from a bundle' }],
  });
});
