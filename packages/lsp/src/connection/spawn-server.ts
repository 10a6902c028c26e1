import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { killTrees, residentMemory } from '@rootward/core/platform';
import type { Spawnable } from '@rootward/sandbox';
import { RootwardLspError } from '../error.js';
import type { SandboxedServer } from './server-sandbox.js';

export interface SpawnServerOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Where it runs; undefined for a server without a sandbox. */
  readonly sandbox?: SandboxedServer | undefined;
}

/** A started server process, whatever it speaks. */
export interface ServerProcess {
  readonly pid: number;
  readonly child: ChildProcessWithoutNullStreams;
  /** How it ended, in words; settles when it has. */
  readonly exited: Promise<string>;
  readonly running: boolean;
  readonly sandbox: SandboxedServer | undefined;
  /** The line of its standard error that says why it failed, in brackets; empty where it wrote nothing. */
  lastWords(): string;
  /** The last lines of its standard error. */
  lastLines(): readonly string[];
  /** Kilobytes, its descendants included. */
  memory(): number | undefined;
  /** Ends it and all that descends from it, at once. */
  kill(): void;
}

/** Enough for a stack trace. */
const MAX_WRITTEN_CHARS = 2_000;
/** What people are shown of it. */
const MAX_LAST_WORDS_CHARS = 200;
/** As Node and Python write them. Below it Node adds the stack and its own version. */
const ERROR_LINE = /^(?:\w+\.)*\w*Error\b.*:/;
/** How long to wait for its last output after it ended: a process that it started may hold its pipes open. */
const LAST_WORDS_MS = 200;
/** Lets the kernel end the server when we die without a chance to do it ourselves. */
const SETPRIV = '/usr/bin/setpriv';

/**
 * Starts a server in a process group of its own. On Linux with util-linux the kernel kills it when this process dies,
 * however that happens; elsewhere a server is trusted to leave when its input ends.
 */
export async function spawnServer(options: SpawnServerOptions): Promise<ServerProcess> {
  const { sandbox } = options;
  const child = startChild(options);
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written = (written + text).slice(-MAX_WRITTEN_CHARS);
  });
  // A server that is gone makes writing fail; its exit says why.
  child.stdin.on('error', ignore);
  child.stdout.on('error', ignore);
  child.stderr.on('error', ignore);
  let running = true;
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      running = false;
      void sandbox?.child.dispose();
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      const late = setTimeout(() => resolve(how), LAST_WORDS_MS);
      child.once('close', () => {
        clearTimeout(late);
        resolve(how);
      });
    });
  });
  const pid = await started(child, options.name);
  return {
    pid,
    child,
    exited,
    sandbox,
    get running() {
      return running;
    },
    lastWords: () => lastWords(written),
    lastLines: () => linesOf(written),
    memory: () => (running ? residentMemory(pid) : undefined),
    kill: () => void killTrees([pid], 'SIGKILL'),
  };
}

function startChild(options: SpawnServerOptions): ChildProcessWithoutNullStreams {
  try {
    const start = startOf(options);
    const child = spawn(start.command, start.args, {
      cwd: start.cwd,
      env: start.env,
      stdio: [...start.stdio],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    start.spawned?.();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the first three of `stdio` are pipes
    return child as ChildProcessWithoutNullStreams;
  } catch (cause) {
    void options.sandbox?.child.dispose();
    // Some failures, such as arguments that are too long, are thrown instead of announced.
    throw startFailed(options.name, cause);
  }
}

function startFailed(name: string, cause: unknown): RootwardLspError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RootwardLspError('start-failed', `Cannot start ${name}: ${reason}`, { cause });
}

function started(child: ChildProcessWithoutNullStreams, name: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? -1));
    child.once('error', (cause) => reject(startFailed(name, cause)));
  });
}

type Start = Omit<Spawnable, 'spawned'> & Partial<Pick<Spawnable, 'spawned'>>;

/** What ends the server with this process: its sandbox, else `setpriv` where there is one. */
function startOf({ program, args, directory, environment, sandbox }: SpawnServerOptions): Start {
  const bare: Start = {
    command: program,
    args,
    cwd: directory,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  };
  if (sandbox !== undefined) return sandbox.child.command(bare);
  if (process.platform !== 'linux' || !existsSync(SETPRIV)) return bare;
  return { ...bare, command: SETPRIV, args: ['--pdeathsig', 'KILL', '--', program, ...args] };
}

/** The one line that says why a program failed. Pure. */
export function lastWords(written: string): string {
  const lines = linesOf(written);
  const line = lines.findLast((each) => ERROR_LINE.test(each)) ?? lines.at(-1);
  return line === undefined ? '' : ` (${line.slice(0, MAX_LAST_WORDS_CHARS).toWellFormed()})`;
}

function linesOf(written: string): readonly string[] {
  return written
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function ignore(): void {
  // Its exit says why writing failed.
}
