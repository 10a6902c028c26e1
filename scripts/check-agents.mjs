// Real Claude Code with agents in worktrees, against the real server, with a scripted model on loopback. Checks that no
// file lands in another tree than that of the agent which wrote it, with the hook and without, on both eras; and that a
// version whose hooks only start commands gets one that does. Claude Code is fetched into a temporary folder; where that
// is not possible, the check is named as skipped.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startModel } from './plugins/scripted-model.mjs';

const CLIENT = '@anthropic-ai/claude-code@2.1.325';
/** Its hooks cannot call a tool, and it makes no worktrees of its own. */
const OLDER_CLIENT = '@anthropic-ai/claude-code@2.0.76';
const AGENTS = 8;
const MAX_RUN_MS = 120_000;
const WRITE = 'mcp__rootward__write_file';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const ROOTWARD = here('../packages/server/dist/rootward.cjs');
const base = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-agents-')));
let failed = 0;

function report(ok, what, detail) {
  if (!ok) failed++;
  console.log(`${ok ? 'ok' : 'NOT OK'}  ${what}${ok ? '' : `\n${JSON.stringify(detail, undefined, 2)}`}`);
}

function fetchClient(client) {
  const folder = mkdtempSync(join(base, 'client-'));
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const npm = spawnSync('npm', ['install', '--no-audit', '--no-fund', client], { cwd: folder });
  const command = join(folder, 'node_modules', '.bin', 'claude');
  if (npm.status === 0 && existsSync(command)) return command;
  console.log(`skipped  ${client} cannot be installed here`);
  return undefined;
}

function git(directory, ...args) {
  const identity = [
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@example.invalid',
    '-c',
    'init.defaultBranch=main',
  ];
  spawnSync('git', [...identity, ...args], { cwd: directory });
}

function makeRepository() {
  const project = mkdtempSync(join(base, 'project-'));
  git(project, 'init');
  writeFileSync(join(project, 'a.txt'), 'a\n');
  git(project, 'add', '.');
  git(project, 'commit', '-m', 'first');
  return project;
}

/** Eight isolated sub-agents at once write a file each; then the main agent does, enters a worktree, and writes again. */
function makeScript(told) {
  let ids = 0;
  const use = (name, input) => ({ type: 'tool_use', id: `toolu_${++ids}_${Math.random()}`, name, input });
  const done = [{ type: 'text', text: 'done' }];
  const agents = Array.from({ length: AGENTS }, (_, index) => ({
    description: `agent ${index}`,
    prompt: `AGENT-${index}`,
    subagent_type: 'general-purpose',
    isolation: 'worktree',
    run_in_background: false,
  }));
  return ({ messages, tools = [] }) => {
    if (tools.length === 0) return done;
    const first = JSON.stringify(messages[0].content);
    const results = messages.at(-1).content;
    if (Array.isArray(results)) {
      const texts = results.filter(({ type }) => type === 'tool_result').map(({ content }) => content);
      told.push(...texts.filter((text) => !JSON.stringify(text).includes('Subagent hand-back')));
    }
    const used = messages.flatMap(({ role, content }) =>
      role === 'assistant' && Array.isArray(content) ? content.filter(({ type }) => type === 'tool_use') : [],
    );
    const has = (name, path) => used.some((each) => each.name === name && each.input?.path === path);
    const agent = /AGENT-(\d+)/.exec(first)?.[1];
    if (agent !== undefined) {
      const path = `agent-${agent}.new`;
      return has(WRITE, path) ? done : [use(WRITE, { path, content: agent })];
    }
    if (!has('Agent')) return agents.map((input) => use('Agent', input));
    if (!has(WRITE, 'main.new')) return [use(WRITE, { path: 'main.new', content: 'main' })];
    // Kept behind a search until it is asked for.
    if (!has('ToolSearch')) return [use('ToolSearch', { query: 'select:EnterWorktree', max_results: 1 })];
    if (!has('EnterWorktree')) return [use('EnterWorktree', { name: 'entered' })];
    if (!has(WRITE, 'entered.new')) return [use(WRITE, { path: 'entered.new', content: 'entered' })];
    return done;
  };
}

async function run(claude, { hook, legacy }) {
  const home = mkdtempSync(join(base, 'home-'));
  const environment = { PATH: process.env.PATH, HOME: home };
  if (hook) {
    const install = ['install', '--client', 'claude-code', '--yes'];
    spawnSync(process.execPath, [ROOTWARD, ...install], { cwd: home, env: environment });
  }
  const direct = [process.execPath, ROOTWARD];
  const [command, ...args] = legacy ? [process.execPath, here('agents/legacy-only.mjs'), ...direct] : direct;
  const servers = { mcpServers: { rootward: { type: 'stdio', command, args } } };
  const told = [];
  const project = makeRepository();
  await drive(claude, {
    project,
    environment,
    servers,
    script: makeScript(told),
    allowed: [WRITE, 'Agent', 'EnterWorktree'],
  });
  return { project, told };
}

/** Lets Claude Code do in a project what the script says. */
async function drive(claude, { project, environment, servers, script, allowed }) {
  const model = await startModel(script);
  const tools = ['--allowedTools', allowed.join(',')];
  const child = spawn(
    claude,
    ['-p', 'go', '--strict-mcp-config', '--mcp-config', JSON.stringify(servers), ...tools],
    {
      cwd: project,
      stdio: 'ignore',
      timeout: MAX_RUN_MS,
      env: {
        ...environment,
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'none',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
      },
    },
  );
  await new Promise((resolve) => child.on('close', resolve));
  model.close();
}

const newFiles = (folder) => readdirSync(folder).filter((name) => name.endsWith('.new'));

async function check(claude, { hook, legacy }) {
  const { project, told } = await run(claude, { hook, legacy });
  const trees = join(project, '.claude', 'worktrees');
  const names = existsSync(trees) ? readdirSync(trees) : [];
  const inTrees = Object.fromEntries(names.map((name) => [name, newFiles(join(trees, name))]));
  const detail = { main: newFiles(project), inTrees, told };
  const agents = Object.entries(inTrees).filter(([name]) => name !== 'entered');
  const alone = agents.every(([, files]) => files.length <= 1);
  const foreign = detail.main.filter((name) => name !== 'main.new');
  const what = `${legacy ? 'legacy' : 'modern'}, ${hook ? 'with the hook' : 'without a hook'}`;
  report(foreign.length === 0 && alone, `${what}: no file is in another tree than its agent's`, detail);
  const entered = inTrees.entered ?? [];
  report(
    entered.every((name) => name === 'entered.new'),
    `${what}: the entered worktree has its own file only`,
    detail,
  );
  if (!hook) return;
  // Git itself fails now and then when eight worktrees are made at once; those agents never start.
  const empty = agents.filter(([, files]) => files.length === 0);
  report(agents.length > 0 && empty.length === 0, `${what}: ${agents.length} sub-agents wrote`, detail);
  report(
    detail.main.includes('main.new') && entered.length === 1,
    `${what}: the main agent wrote twice`,
    detail,
  );
}

/** The agent makes a worktree, goes there, and writes. */
function makeOlderScript(told) {
  const commands = [
    ['Bash', { command: 'git worktree add -q -b x .claude/worktrees/x && cd .claude/worktrees/x' }],
    [WRITE, { path: 'x.new', content: 'x' }],
  ];
  return ({ messages, tools = [] }) => {
    const results = messages.at(-1).content;
    if (Array.isArray(results)) told.push(...results.filter(({ type }) => type === 'tool_result'));
    const step = messages.filter(({ role }) => role === 'assistant').length;
    if (tools.length === 0 || commands[step] === undefined) return [{ type: 'text', text: 'done' }];
    const [name, input] = commands[step];
    return [{ type: 'tool_use', id: `toolu_${step}_${Math.random()}`.replace('.', ''), name, input }];
  };
}

async function checkOlder(claude, { hook, mayWrite }) {
  const home = mkdtempSync(join(base, 'home-'));
  const environment = { PATH: `${dirname(claude)}${delimiter}${process.env.PATH}`, HOME: home };
  const install = [ROOTWARD, 'install', '--client', 'claude-code', '--yes'];
  if (hook) spawnSync(process.execPath, install, { cwd: home, env: environment });
  const servers = {
    mcpServers: { rootward: { type: 'stdio', command: process.execPath, args: [ROOTWARD] } },
  };
  const told = [];
  const project = makeRepository();
  const allowed = mayWrite ? ['Bash', WRITE] : ['Bash'];
  await drive(claude, { project, environment, servers, script: makeOlderScript(told), allowed });
  const tree = join(project, '.claude', 'worktrees', 'x');
  const detail = { main: newFiles(project), tree: existsSync(tree) ? newFiles(tree) : undefined, told };
  const expected = hook && mayWrite ? ['x.new'] : [];
  const isRight = detail.main.length === 0 && JSON.stringify(detail.tree) === JSON.stringify(expected);
  const what = `${hook ? 'with' : 'without'} the command hook${mayWrite ? '' : ', not allowed to write'}`;
  report(isRight, `older version, ${what}: ${expected.length} file in its tree, none in another`, detail);
}

try {
  const older = fetchClient(OLDER_CLIENT);
  if (older !== undefined) {
    await checkOlder(older, { hook: true, mayWrite: true });
    await checkOlder(older, { hook: true, mayWrite: false });
    await checkOlder(older, { hook: false, mayWrite: true });
  }
  const claude = fetchClient(CLIENT);
  if (claude !== undefined) {
    for (const legacy of [false, true]) {
      for (const hook of [true, false]) await check(claude, { hook, legacy });
    }
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
