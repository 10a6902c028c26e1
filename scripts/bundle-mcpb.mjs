// Builds dist/rootward.mcpb, the bundle that desktop clients install with a double click: the program as it is published, its
// licences and a manifest whose version and tools come from the code. The official tool, which is fetched on first use,
// validates and packs it. Exit codes: 0 built, 1 invalid, 3 the tool cannot be fetched.
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolsets } from '../packages/server/dist/tools/toolsets.js';

const TOOL = '@anthropic-ai/mcpb@2.1.2';
const CANNOT_FETCH = 3;
const FETCHED = 'fetched';
const repository = fileURLToPath(new URL('..', import.meta.url));
const server = join(repository, 'packages', 'server');
const folder = join(repository, 'dist', 'mcpb');

function assemble() {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'server'), { recursive: true });
  const built = readdirSync(join(server, 'dist')).filter((name) => /\.(?:cjs|html|txt)$/.test(name));
  for (const name of built) copyFileSync(join(server, 'dist', name), join(folder, 'server', name));
  // The program looks for the libraries of executable tools beside its own folder.
  cpSync(join(server, 'sdk'), join(folder, 'sdk'), {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  });
  copyFileSync(join(repository, 'LICENSE'), join(folder, 'LICENSE'));
  const { version } = JSON.parse(readFileSync(join(server, 'package.json'), 'utf8'));
  const manifest = JSON.parse(readFileSync(join(repository, 'mcpb', 'manifest.json'), 'utf8'));
  const tools = Object.values(toolsets)
    .flat()
    .map(({ name, description }) => ({ name, description }));
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, version, tools }, undefined, 2));
}

/** One call of npm for all, since each takes seconds; paths are relative, so that none needs quoting. */
function validateAndPack() {
  const steps = [
    'mcpb --version',
    `echo ${FETCHED}`,
    'mcpb validate dist/mcpb/manifest.json',
    'mcpb pack dist/mcpb dist/rootward.mcpb',
  ];
  const script = steps.join(' && ');
  // npm is a batch file on Windows, which only a shell can start; and a shell takes arguments apart.
  const shell = process.platform === 'win32';
  const args = [
    'exec',
    '--yes',
    '--prefer-offline',
    `--package=${TOOL}`,
    '-c',
    shell ? `"${script}"` : script,
  ];
  return spawnSync('npm', args, { cwd: repository, encoding: 'utf8', shell });
}

assemble();
const { status, stdout, stderr } = validateAndPack();
if (status === 0) {
  console.log('Built dist/rootward.mcpb; its manifest is valid.');
} else {
  console.error(`${stdout}${stderr}`);
  process.exitCode = stdout.includes(FETCHED) ? 1 : CANNOT_FETCH;
}
