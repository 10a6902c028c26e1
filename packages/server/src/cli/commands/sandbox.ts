import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Scope } from '@rootward/core';
import { describeSkipped, searchProgram } from '@rootward/core/platform';
import type { Sandbox, SandboxPlan, WantedLevel } from '@rootward/sandbox';
import { RootwardServerError } from '../../error.js';
import { profileOf } from '../../sandbox/program-profile.js';
import { prepareServer, workspaceWithoutClient, type ServerSetup } from '../../serve/prepare-server.js';
import type { LoadedSettings } from '../../settings/load-settings.js';
import { readChoice } from '../../settings/values/read-values.js';
import { SANDBOX_LEVELS } from '../../settings/values/sandbox-settings.js';
import { ownCommandHere } from '../install/own-program.js';
import { harmless } from '../output/paint.js';
import { FINE, printJson, type Terminal } from '../output/terminal.js';
import { commandLogger, warnOfVariables } from './roots.js';

export interface SandboxFlags {
  readonly level?: string;
  readonly explain?: boolean;
  readonly json?: boolean;
}

/** What a shell adds to the number of a signal. */
const SIGNAL_EXIT = 128;
/** Secrets that give access to the server itself. */
const SECRETS: ReadonlySet<string> = new Set(['ROOTWARD_TOKEN', 'ROOTWARD_HANDLE_KEY']);

/** Runs a command in the sandbox of the roots, and returns its exit code; with `explain`, says what it may touch. */
export async function runSandbox(
  settings: LoadedSettings,
  flags: SandboxFlags,
  [command, ...args]: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const level = wantedLevel(settings, flags);
  if (command === undefined && flags.explain !== true) {
    throw new RootwardServerError(
      'usage',
      `Cannot run a sandbox without a command: write it after two dashes, or use --explain; for example: ${ownCommandHere(terminal.start)} sandbox . -- ls`,
    );
  }
  const quiet = { ...settings, audit: undefined, sandbox: { ...settings.sandbox, level } };
  const setup = await prepareServer(quiet, terminal.start, commandLogger(settings));
  warnOfVariables(settings, terminal);
  using sandboxes = setup.sandboxes;
  using workspace = workspaceWithoutClient(setup);
  const scope = workspace.scope();
  const sandbox = await sandboxes.open(level);
  const program = command === undefined ? undefined : find(command, setup);
  const plan = sandbox === undefined ? undefined : await planFor(sandbox, scope, setup, program);
  if (flags.explain === true) return explain(sandbox, plan, flags.json === true, terminal);
  if (program === undefined) return FINE;
  if (sandbox === undefined && level === 'auto') {
    const doctor = `${ownCommandHere(terminal.start)} doctor`;
    terminal.err(`rootward: no sandbox works here, so the command runs without one; see: ${doctor}\n`);
  }
  return await run({ command: program, args, scope, sandbox, plan }, terminal);
}

function wantedLevel({ sandbox }: LoadedSettings, { level }: SandboxFlags): WantedLevel {
  if (level === undefined) return sandbox.level ?? 'strict';
  return readChoice(level, SANDBOX_LEVELS, { name: '--level', base: undefined });
}

/** By its path, or by its name on `PATH`, which the folder that the command runs in must not decide. */
function find(command: string, { environment }: ServerSetup): string {
  if (command.includes('/')) return command;
  const { found, skipped } = searchProgram(command, { environment, roots: [] });
  if (found !== undefined) return found.path;
  throw new RootwardServerError(
    'usage',
    `Cannot run ${JSON.stringify(command)}: no folder of PATH has it${describeSkipped(skipped)}`,
  );
}

async function planFor(
  sandbox: Sandbox,
  scope: Scope,
  { sandboxes, settings }: ServerSetup,
  program: string | undefined,
): Promise<SandboxPlan> {
  return sandbox.plan({
    roots: scope.roots,
    ...(await sandboxes.limits(scope)),
    ...(program?.startsWith('/') === true && { program }),
    profile: profileOf(settings.sandbox, ''),
  });
}

async function explain(
  sandbox: Sandbox | undefined,
  plan: SandboxPlan | undefined,
  json: boolean,
  terminal: Terminal,
): Promise<number> {
  const { explainPlan } = await import('@rootward/sandbox');
  if (json) {
    printJson(terminal, {
      level: sandbox?.level ?? 'off',
      ...(sandbox !== undefined && { backend: sandbox.backend, guarantee: sandbox.guarantee }),
      ...(plan !== undefined && { plan }),
    });
    return FINE;
  }
  if (sandbox === undefined || plan === undefined) {
    terminal.out('Level off: the command may touch everything\n');
    return FINE;
  }
  const shortfall = sandbox.shortfall(plan);
  const narrowing = sandbox.narrowing(plan);
  const lines = [
    `Backend ${sandbox.backend}`,
    ...explainPlan(plan, sandbox.guarantee),
    ...(narrowing === undefined ? [] : [narrowing]),
    ...(shortfall === undefined ? [] : [`Nothing runs in it: ${shortfall}`]),
  ];
  terminal.out(lines.map((line) => `${harmless(line)}\n`).join(''));
  return FINE;
}

interface Run {
  readonly command: string;
  readonly args: readonly string[];
  readonly scope: Scope;
  readonly sandbox: Sandbox | undefined;
  readonly plan: SandboxPlan | undefined;
}

async function run({ command, args, scope, sandbox, plan }: Run, terminal: Terminal): Promise<number> {
  const { environment, directory } = terminal.start;
  const first = scope.roots.find(({ kind }) => kind === 'directory')?.path;
  const cwd = sandbox === undefined || scope.contains(directory) ? directory : (first ?? directory);
  const bare = {
    command,
    args,
    cwd,
    env: withoutSecrets(environment),
    stdio: ['inherit', 'inherit', 'inherit'] as const,
  };
  using inside = plan === undefined ? undefined : sandbox?.child(plan);
  const start = inside?.command(bare) ?? { ...bare, stdio: [...bare.stdio], spawned: () => undefined };
  const child = spawn(start.command, start.args, { cwd: start.cwd, env: start.env, stdio: start.stdio });
  start.spawned();
  const stop = (): void => void child.kill('SIGTERM');
  process.once('SIGTERM', stop);
  // Ctrl-C reaches the child by itself; this process waits for it.
  process.on('SIGINT', ignore);
  try {
    const [code, signal]: unknown[] = await once(child, 'exit');
    if (typeof code === 'number') return code;
    return SIGNAL_EXIT + (isSignal(signal) ? constants.signals[signal] : 0);
  } catch (error) {
    throw new RootwardServerError('usage', `Cannot run ${command}: ${String(error)}`, { cause: error });
  } finally {
    process.off('SIGTERM', stop);
    process.off('SIGINT', ignore);
  }
}

function isSignal(signal: unknown): signal is NodeJS.Signals {
  return typeof signal === 'string' && signal in constants.signals;
}

function ignore(): void {
  // The signal has reached the child as well, whose end is waited for.
}

function withoutSecrets(environment: Terminal['start']['environment']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || SECRETS.has(name) ? [] : [[name, value]],
    ),
  );
}
