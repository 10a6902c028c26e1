import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Servers of this protocol that are installed here; tests with one that is missing are named as skipped. */
export type RedisProgram = 'redis-server' | 'valkey-server';

/**
 * What tests use that need one of them. `ROOTWARD_STORE_SERVER=valkey-server` runs them all with Valkey, which is also
 * taken where it is the only one here.
 */
export const STORE_PROGRAM: RedisProgram =
  process.env['ROOTWARD_STORE_SERVER'] === 'valkey-server' ||
  (isInstalled('valkey-server') && !isInstalled('redis-server'))
    ? 'valkey-server'
    : 'redis-server';

export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A server of its own, in memory only, on a socket in a temporary folder. */
export class RedisServer implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'rootward-redis-'));
  readonly url: string = `unix://${join(this.folder, 'redis.sock')}`;
  readonly #program: RedisProgram;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  static async start(
    program: RedisProgram = STORE_PROGRAM,
    args: readonly string[] = [],
  ): Promise<RedisServer> {
    const server = new RedisServer(program, args);
    await server.start();
    return server;
  }

  private constructor(program: RedisProgram, args: readonly string[]) {
    this.#program = program;
    this.#args = args;
  }

  /** Also after `stop()`: on the same socket, with nothing in it. */
  async start(): Promise<void> {
    const child = spawn(
      this.#program,
      [
        '--port',
        '0',
        '--unixsocket',
        join(this.folder, 'redis.sock'),
        '--save',
        '',
        '--appendonly',
        'no',
        '--dir',
        this.folder,
        ...this.#args,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    this.#child = child;
    let output = '';
    let isReady = false;
    for await (const chunk of child.stdout) {
      output += String(chunk);
      isReady = /ready to accept connections/i.test(output);
      if (isReady) break;
    }
    if (!isReady) throw new Error(`${this.#program} did not start:\n${output}`);
    child.stdout.resume();
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
