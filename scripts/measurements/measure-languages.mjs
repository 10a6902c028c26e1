// How much memory language servers take: asks about a file of each language in one folder, and prints after each what runs
// and how much memory it takes. node scripts/measurements/measure-languages.mjs (after npm run build).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const FILES = {
  'a.ts': 'export function one(): number { return 1; }\n',
  'b.js': 'export function two() { return 2; }\n',
  'c.py': 'def three():\n    return 3\n',
  'd.go': 'package main\n\nfunc four() int { return 4 }\n\nfunc main() { four() }\n',
  'e.c': 'int five(void) { return 5; }\n',
  'f.cpp': 'int six() { return 6; }\n',
  'g.sh': '#!/usr/bin/env bash\nseven() { echo 7; }\n',
  'h.yaml': 'eight: 8\n',
  'i.json': '{ "nine": 9 }\n',
  'j.html': '<!doctype html><title>ten</title>\n',
  'k.css': '.eleven { color: red; }\n',
};

const KILOBYTES_PER_MB = 1024;

const repository = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rootward-languages-'));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
writeFileSync(join(folder, 'go.mod'), 'module example.com/languages\n\ngo 1.19\n');

const client = new Client(
  { name: 'measure', version: '1.0.0' },
  { versionNegotiation: { mode: { pin: '2026-07-28' } } },
);
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [join(repository, 'packages/server/dist/rootward.cjs'), folder],
    env: { ...process.env, PATH: [join(repository, 'node_modules/.bin'), process.env.PATH].join(delimiter) },
    stderr: 'ignore',
  }),
);
try {
  for (const name of Object.keys(FILES)) {
    const { isError } = await client.callTool({ name: 'outline', arguments: { file: join(folder, name) } });
    const { structuredContent } = await client.callTool({ name: 'workspace_info', arguments: {} });
    const running = (structuredContent.servers ?? []).filter(({ state }) => state === 'running');
    const kilobytes = running.reduce((sum, { memoryKb = 0 }) => sum + memoryKb, 0);
    const state = isError ? 'no answer' : 'answered';
    process.stdout.write(
      `${name.padEnd(7)} ${state}; ${running.length} servers run, ${Math.round(kilobytes / KILOBYTES_PER_MB)} MB\n`,
    );
  }
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}
