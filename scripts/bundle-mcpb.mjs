// Builds dist/rootward.mcpb, the bundle that desktop clients install with a double click: the program in two files, its
// licence and a manifest whose version and tools come from the code. The official tool, which is fetched on first use,
// validates and packs it. Exit codes: 0 built, 1 invalid, 3 the tool cannot be fetched.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolsets } from '../packages/server/dist/tools/toolsets.js';

const TOOL = '@anthropic-ai/mcpb@2.1.2';
const CANNOT_FETCH = 3;
const repository = fileURLToPath(new URL('..', import.meta.url));
const server = join(repository, 'packages', 'server');
const folder = join(repository, 'dist', 'mcpb');
const bundle = join(repository, 'dist', 'rootward.mcpb');

function assemble() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'server'), { recursive: true });
  for (const name of ['rootward.cjs', 'program.cjs']) {
    copyFileSync(join(server, 'dist', name), join(folder, 'server', name));
  }
  copyFileSync(join(repository, 'LICENSE'), join(folder, 'LICENSE'));
  const { version } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(join(repository, 'mcpb', 'manifest.json'), 'utf8'));
  const tools = Object.values(toolsets)
    .flat()
    .map(({ name, description }) => ({ name, description }));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, version, tools }, undefined, 2));
}

function mcpb(...args) {
  return spawnSync('npm', ['exec', '--yes', '--prefer-offline', `--package=${TOOL}`, '--', 'mcpb', ...args], {
    cwd: repository,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
}

function must(result) {
  if (result.status === 0) return;
  console.error(`${result.stdout}${result.stderr}`);
  process.exit(1);
}

const fetched = mcpb('--version');
if (fetched.status !== 0) {
  console.error(`Cannot fetch ${TOOL}: ${fetched.stderr}`);
  process.exit(CANNOT_FETCH);
}
assemble();
must(mcpb('validate', join(folder, 'manifest.json')));
must(mcpb('pack', folder, bundle));
console.log('Built dist/rootward.mcpb; its manifest is valid.');
