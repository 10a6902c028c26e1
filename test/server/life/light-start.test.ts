import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ScriptedClient } from '@rootward/mcp/testing';
import { expect, test } from 'vitest';
import { makeFolders, PROGRAM, startRootward } from '../fixtures/rootward.js';

const folders = makeFolders('a');

test('rootward answers the introduction of a client without modules of Node that make a start slow', async () => {
  const noting = join(folders.top, 'noting.cjs');
  const noted = join(folders.top, 'modules.json');
  writeFileSync(
    noting,
    `process.once('exit', () => require('fs').writeFileSync(${JSON.stringify(noted)}, JSON.stringify(process.moduleLoadList)));`,
  );
  const server = startRootward([folders.path('a')], { env: { NODE_OPTIONS: `--require="${noting}"` } });
  const client = new ScriptedClient(server, {});
  await client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { roots: {}, elicitation: {} },
    clientInfo: { name: 'test', version: '1' },
  });
  server.output.end();
  await server.exit;
  const loaded = new Set(JSON.parse(readFileSync(noted, 'utf8')) as readonly string[]);
  expect(loaded).toContain('NativeModule net');
  for (const slow of ['crypto', 'http', 'child_process', 'readline']) {
    expect(loaded).not.toContain(`NativeModule ${slow}`);
  }
});

test('the part of the program that is read at the start neither serves HTTP nor runs programs, and has no path of the machine that built it', () => {
  const text = readFileSync(join(dirname(PROGRAM), 'program.cjs'), 'utf8');
  expect(text).toContain('mcp/dist/sdk-v2/serve-workspace-stdio.js');
  for (const later of ['mcp/dist/sdk-v2/http/', 'src/exec/run/', 'src/exec/project/']) {
    expect(text).not.toContain(later);
  }
  expect(text).not.toContain(fileURLToPath(new URL('../../..', import.meta.url)));
});
