// Checks the plugins, and the hook that `rootward install` writes, with the clients themselves, which are fetched into a
// temporary folder. A client that cannot be fetched is named as skipped.
import { spawnSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startScriptedModel } from './plugins/scripted-model.mjs';

const CLIENTS = { claude: '@anthropic-ai/claude-code@2.1.325', gemini: '@google/gemini-cli@0.61.0' };
const MAX_RUN_MS = 60_000;

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'rootward-plugins-'));
let failed = 0;

function report(ok, what, detail = '') {
  if (!ok) failed++;
  console.log(`${ok ? 'ok' : 'NOT OK'}  ${what}${ok ? '' : `\n${detail}`}`);
}

/** The command of a client, or undefined where it cannot be had. */
function fetchClient(name) {
  const folder = join(base, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const npm = spawnSync('npm', ['install', '--no-audit', '--no-fund', CLIENTS[name]], {
    cwd: folder,
    encoding: 'utf8',
  });
  const command = join(folder, 'node_modules', '.bin', name);
  if (npm.status === 0 && existsSync(command)) return command;
  console.log(`skipped  ${CLIENTS[name]} cannot be installed here`);
  return undefined;
}

function validate(command, args, folder) {
  const home = mkdtempSync(join(base, 'home-'));
  const { status, stdout, stderr } = spawnSync(command, [...args, here(`../plugins/${folder}`)], {
    encoding: 'utf8',
    timeout: MAX_RUN_MS,
    env: { PATH: process.env.PATH, HOME: home },
  });
  report(status === 0, `plugins/${folder} passes the validator of its client`, stdout + stderr);
}

const LISTENING = here('plugins/listening-server.cjs');

/** One turn of Claude Code in which the model calls `tool`. Returns what the server got, and what the model was told. */
async function turn(claude, { tool, home, args }) {
  const model = await startScriptedModel(tool, {});
  const log = join(mkdtempSync(join(base, 'log-')), 'calls');
  writeFileSync(log, '');
  const project = mkdtempSync(join(base, 'project-'));
  const child = spawn(claude, ['-p', 'go', ...args], {
    cwd: project,
    stdio: 'ignore',
    timeout: MAX_RUN_MS,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      LISTENING_LOG: log,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  });
  await new Promise((resolve) => child.on('close', resolve));
  model.close();
  const calls = readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { calls, told: JSON.stringify(model.results), project };
}

function isBound({ calls: [hook, call], project }) {
  const id = call?.['_meta']?.['claudecode/toolUseId'];
  return (
    hook?.name === 'bind_caller' &&
    hook.arguments.cwd === project &&
    id !== undefined &&
    hook.arguments.id === id &&
    call.name === 'where'
  );
}

async function checkClaude(claude) {
  const home = mkdtempSync(join(base, 'home-'));
  const install = ['install', '--client', 'claude-code', '--yes'];
  const rootward = spawnSync(process.execPath, [here('../packages/server/dist/rootward.cjs'), ...install], {
    cwd: home,
    encoding: 'utf8',
    env: { HOME: home, PATH: process.env.PATH },
  });
  report(rootward.status === 0, 'rootward install --client claude-code', rootward.stderr);
  const listening = { mcpServers: { rootward: { type: 'stdio', command: 'node', args: [LISTENING] } } };
  const server = ['--strict-mcp-config', '--mcp-config', JSON.stringify(listening)];
  const tool = 'mcp__rootward__where';

  const installed = await turn(claude, { tool, home, args: [...server, '--allowedTools', tool] });
  report(isBound(installed), 'the installed hook binds the call that follows', JSON.stringify(installed));

  const asked = await turn(claude, { tool, home, args: server });
  const names = asked.calls.map(({ name }) => name);
  report(
    !names.includes('where') && asked.told.includes('permission'),
    'the hook grants nothing',
    JSON.stringify(asked),
  );

  const settings = join(home, '.claude', 'settings.json');
  writeFileSync(settings, readFileSync(settings, 'utf8').replace('"server": "rootward"', '"server": "gone"'));
  const gone = await turn(claude, { tool, home, args: [...server, '--allowedTools', tool] });
  report(
    gone.told.includes('answered where'),
    'a call goes on when the hook finds no server',
    JSON.stringify(gone),
  );

  const plugin = join(base, 'plugin');
  cpSync(here('../plugins/claude-code'), plugin, { recursive: true });
  cpSync(LISTENING, join(plugin, 'start.cjs'));
  const own = 'mcp__plugin_rootward_rootward__where';
  const bare = mkdtempSync(join(base, 'home-'));
  const args = ['--plugin-dir', plugin, '--allowedTools', own];
  const plugged = await turn(claude, { tool: own, home: bare, args });
  report(isBound(plugged), 'the hook of the plugin binds the call that follows', JSON.stringify(plugged));
}

try {
  const claude = fetchClient('claude');
  if (claude !== undefined) {
    validate(claude, ['plugin', 'validate', '--strict'], 'claude-code');
    await checkClaude(claude);
  }
  const gemini = fetchClient('gemini');
  if (gemini !== undefined) validate(gemini, ['extensions', 'validate'], 'gemini-cli');
} finally {
  rmSync(base, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
