import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { connectRootward, makeFolders } from './fixtures/rootward.js';

const folders = makeFolders('a', 'project');
mkdirSync(join(folders.path('project'), 'tools'));
for (const name of ['read_moon', 'write_moon']) {
  const file = join(folders.path('project'), 'tools', `${name}.sh`);
  writeFileSync(file, '#!/bin/sh\n# mcp: {"description": "the moon"}\necho moon\n');
  chmodSync(file, 0o755);
}

async function listed(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  const { client } = await connectRootward([folders.path('a'), ...args], {}, { env });
  const { tools } = (await client.request('tools/list')) as { tools: readonly { name: string }[] };
  return tools.map(({ name }) => name).sort();
}

test('--tools and --hide-tools choose tools by name, executables too', async () => {
  const args = [
    '--project',
    folders.path('project'),
    '--tools',
    'read_*,workspace_info',
    '--hide-tools',
    '*_file',
  ];
  expect(await listed(args)).toEqual(['read_moon', 'read_multiple_files', 'workspace_info']);
  const env = { ROOTWARD_TOOLS: 'write_*', ROOTWARD_HIDE_TOOLS: 'write_file' };
  expect(await listed(['--project', folders.path('project')], env)).toEqual(['write_moon']);
});

test('a hidden tool is refused when called', async () => {
  const { client, server } = await connectRootward([
    folders.path('a'),
    '--project',
    folders.path('project'),
    '--hide-tools',
    'delete_file',
    '--hide-tools',
    'write_*,wirte_file',
  ]);
  for (const name of ['delete_file', 'write_file', 'write_moon']) {
    await expect(client.callTool(name, { path: 'name.txt' })).rejects.toMatchObject({ code: -32_602 });
  }
  await eventually(() => {
    expect(server.stderr()).toContain('no tool has a name that matches');
    expect(server.stderr()).toContain('wirte_file');
  });
});
