import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { ChildRegistry } from '@rootward/mcp';
import { CHANNEL_FD } from './tool-environment.js';
import { GroupEnd, within } from './group-end.js';
import type { GroupGuard } from './group-guard.js';
import { KeptTail } from './kept-tail.js';
import { LineSplitter } from './line-splitter.js';

/** How a run came to its end. */
type RunEnd = 'exited' | 'not-started' | 'cancelled' | 'timed-out' | 'too-much-output';

export interface RunOutcome {
  readonly end: RunEnd;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  /** The last of stderr. */
  readonly stderr: string;
  /** Why it did not start. */
  readonly cause: Error | undefined;
}

export interface RunProcessOptions {
  readonly file: string;
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** How long a run may take in all where each sign of progress starts the timeout anew. */
  readonly extendedMs?: number;
  readonly maxOutputBytes: number;
  readonly guard: GroupGuard;
  readonly children: ChildRegistry;
  /** A line of the channel. True for a sign of progress. */
  readonly onLine: (line: string) => boolean;
  /** Called before the tool is told to end. */
  readonly onStop: () => void;
}

const STDERR_TAIL_BYTES = 8 * 1024;
/** What a process left behind may still have in its pipe when the tool itself is gone. */
const DRAIN_MS = 250;
const STDIO: readonly ('ignore' | 'pipe' | undefined)[] = Array.from({ length: CHANNEL_FD + 1 }, (_, fd) =>
  fd === 0 || (fd > 2 && fd < CHANNEL_FD) ? 'ignore' : 'pipe',
);

/** Runs one executable to its end, with everything it started. Never rejects. */
export function runProcess(options: RunProcessOptions): Promise<RunOutcome> {
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(options.file, [], {
        cwd: options.cwd,
        env: options.environment,
        detached: process.platform !== 'win32',
        stdio: [...STDIO],
        windowsHide: true,
      });
    } catch (error) {
      resolve(notStarted(error));
      return;
    }
    if (child.pid === undefined) {
      child.once('error', (error) => resolve(notStarted(error)));
      return;
    }
    resolve(new Run(child, child.pid, options).finished);
  });
}

function notStarted(error: unknown): RunOutcome {
  return {
    end: 'not-started',
    code: null,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: '',
    cause: error instanceof Error ? error : new Error(String(error)),
  };
}

class Run {
  readonly finished: Promise<RunOutcome>;
  readonly #child: ChildProcess;
  readonly #options: RunProcessOptions;
  readonly #chunks: Buffer[] = [];
  readonly #stderr = new KeptTail(STDERR_TAIL_BYTES);
  readonly #exited: Promise<Exit>;
  readonly #group: GroupEnd;
  readonly #deadline: number;
  #bytes = 0;
  #end: RunEnd = 'exited';
  #timer: NodeJS.Timeout | undefined;

  constructor(child: ChildProcess, pid: number, options: RunProcessOptions) {
    this.#child = child;
    this.#options = options;
    this.#exited = exited(child);
    this.#group = new GroupEnd(pid, this.#exited);
    this.#deadline = performance.now() + (options.extendedMs ?? options.timeoutMs);
    options.guard.watch(pid);
    const registered = options.children.add(child);
    this.#startTimer();
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
    const stdout = this.#read(child.stdout, (chunk) => this.#takeOutput(chunk));
    const stderr = this.#read(child.stderr, (chunk) => this.#stderr.push(chunk));
    const lines = new LineSplitter((line) => {
      if (options.onLine(line)) this.#onProgress();
    });
    const channel = this.#read(child.stdio.at(CHANNEL_FD), (chunk) => lines.push(chunk));
    this.finished = this.#finish(Promise.all([stdout, stderr, channel])).finally(() => {
      registered[Symbol.dispose]();
      options.guard.forget(pid);
    });
  }

  async #finish(drained: Promise<unknown>): Promise<RunOutcome> {
    const { code, signal } = await this.#exited;
    // Until its pipes are empty a tool is not done: what it started may still be writing for it.
    if (this.#end === 'exited') await within(drained, DRAIN_MS);
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    await this.#group.end();
    // Whoever left the group may hold the pipes for ever.
    for (const stream of this.#child.stdio) stream?.destroy();
    return {
      end: this.#end,
      code,
      signal,
      stdout: Buffer.concat(this.#chunks),
      stderr: this.#stderr.text(),
      cause: undefined,
    };
  }

  /** Resolves when the other side has closed. */
  #read(stream: unknown, take: (chunk: Buffer) => void): Promise<void> {
    if (!isReadable(stream)) return Promise.resolve();
    return new Promise((resolve) => {
      stream.on('data', take);
      stream.once('error', () => resolve());
      stream.once('close', () => resolve());
    });
  }

  #takeOutput(chunk: Buffer): void {
    const room = this.#options.maxOutputBytes - this.#bytes;
    if (room <= 0) return;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#bytes += chunk.length;
    if (chunk.length > room) this.#stop('too-much-output');
  }

  #onProgress(): void {
    if (this.#options.extendedMs !== undefined) this.#startTimer();
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    const left = Math.min(this.#options.timeoutMs, this.#deadline - performance.now());
    this.#timer = setTimeout(() => this.#stop('timed-out'), left);
  }

  readonly #onAbort = (): void => this.#stop('cancelled');

  #stop(end: RunEnd): void {
    if (this.#end !== 'exited') return;
    this.#end = end;
    clearTimeout(this.#timer);
    this.#options.onStop();
    void this.#group.end();
  }
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function exited(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.on('error', () => undefined);
  });
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'readable' in stream && stream.readable === true;
}
