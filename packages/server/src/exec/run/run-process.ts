import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { ChildAbout, ChildRegistry } from '@rootward/mcp';
import type { SandboxChild } from '@rootward/sandbox';
import { errnoOf, nextTurn, within } from '@rootward/core/platform';
import type { RunEnd, RunOutcome } from '../answer/run-outcome.js';
import { ChannelReader } from './channel-reader.js';
import { openOutput, type OutputStreams } from './child-output.js';
import { GroupEnd } from './group-end.js';
import type { GroupGuard } from './group-guard.js';
import type { PipeStore } from './pipe-store.js';

export interface RunProcessOptions {
  readonly file: string;
  /** What runs it, with its arguments before the file, where it has no run bit. */
  readonly interpreter?: readonly string[] | undefined;
  /** After the file. */
  readonly args?: readonly string[] | undefined;
  readonly cwd: string;
  /** Where it runs; undefined for a run without a sandbox. */
  readonly sandbox?: SandboxChild | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** How long a run may take in all where each sign of progress starts the timeout anew. */
  readonly extendedMs?: number;
  readonly maxOutputBytes: number;
  readonly guard: GroupGuard;
  readonly pipes: PipeStore;
  /** Marks the lines of the channel. */
  readonly channelTag: string;
  readonly children: ChildRegistry;
  /** What people are told of it. */
  readonly shown: Pick<ChildAbout, 'name' | 'sandbox'>;
  /** A line of the channel. True for a sign of progress; time does not count while a promise is pending. */
  readonly onLine: (line: string) => boolean | Promise<unknown>;
  /** Called before the tool is told to end. */
  readonly onStop: () => void;
}

const STDERR_TAIL_BYTES = 8 * 1024;
/** What a process left behind may still have in its pipe when the tool itself is gone. */
const DRAIN_MS = 250;
/** Node fires timers beyond this, 24 days, at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Runs one executable to its end, with everything it started. Never rejects. */
export async function runProcess(options: RunProcessOptions): Promise<RunOutcome> {
  const output = await openOutput(options.pipes);
  try {
    const { file, interpreter = [], args: given = [], cwd, environment: env, sandbox } = options;
    const [command = file, ...args] = [...interpreter, file, ...given];
    const bare = { command, args, cwd, env, stdio: output.stdio };
    const start = sandbox?.command(bare);
    const { stdio } = start ?? bare;
    const child = spawn(start?.command ?? command, start?.args ?? args, {
      cwd: start?.cwd ?? cwd,
      env: start?.env ?? env,
      detached: process.platform !== 'win32',
      stdio: [...stdio],
      windowsHide: true,
    });
    start?.spawned();
    const streams = output.attach(child);
    if (child.pid === undefined) {
      const [error]: unknown[] = await once(child, 'error');
      return notStarted(error, options);
    }
    return await new Run(child, child.pid, streams, options).finished;
  } catch (error) {
    return notStarted(error, options);
  } finally {
    output.close();
  }
}

function notStarted(error: unknown, options: RunProcessOptions): RunOutcome {
  return {
    end: 'not-started',
    code: null,
    signal: null,
    stdout: Buffer.alloc(0),
    stderr: '',
    cause: whyNotStarted(error, options),
  };
}

class Run {
  readonly finished: Promise<RunOutcome>;
  readonly #options: RunProcessOptions;
  readonly #chunks: Buffer[] = [];
  readonly #stderr = new KeptTail(STDERR_TAIL_BYTES);
  readonly #exited: Promise<Exit>;
  readonly #group: GroupEnd;
  #deadline: number;
  #bytes = 0;
  #end: RunEnd = 'exited';
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(child: ChildProcess, pid: number, streams: OutputStreams, options: RunProcessOptions) {
    this.#options = options;
    this.#exited = exited(child);
    this.#group = new GroupEnd(pid, this.#exited, options.sandbox?.supervised);
    this.#deadline = performance.now() + (options.extendedMs ?? options.timeoutMs);
    options.guard.watch(pid);
    const registered = options.children.add(child, {
      ...options.shown,
      kind: 'tool',
      lastLines: () => this.#lastLines(),
    });
    this.#startTimer();
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
    const onLine = (line: string): void => {
      const meaning = options.onLine(line);
      if (meaning instanceof Promise) this.#pauseUntil(meaning);
      else if (meaning) this.#onProgress();
    };
    const messages = new ChannelReader(options.channelTag, onLine, (text) => this.#stderr.push(text));
    const channel = new ChannelReader(options.channelTag, onLine, () => undefined);
    const drained = Promise.all([
      read(streams.stdout, (chunk) => this.#takeOutput(chunk)),
      read(streams.stderr, (chunk) => messages.push(chunk)).then(() => messages.end()),
      read(streams.channel, (chunk) => channel.push(chunk)),
    ]);
    this.finished = this.#finish(drained).finally(() => {
      registered[Symbol.dispose]();
      options.guard.forget(pid);
    });
  }

  async #finish(drained: Promise<unknown>): Promise<RunOutcome> {
    const { code, signal } = await this.#exited;
    // Until its pipes are empty a tool is not done: what it started may still be writing for it.
    if (this.#end === 'exited' && !(await within(drained, { milliseconds: DRAIN_MS }))) {
      // Lets what has arrived be read: on a busy machine, time may be up before anyone has looked.
      await nextTurn();
    }
    clearTimeout(this.#timer);
    this.#isOver = true;
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    await this.#group.end();
    return {
      end: this.#end,
      code,
      signal,
      stdout: Buffer.concat(this.#chunks),
      stderr: this.#stderr.text(),
      cause: undefined,
    };
  }

  #takeOutput(chunk: Buffer): void {
    // Not even an empty part is kept: it would keep the whole alive while the tool prints on.
    if (this.#end === 'too-much-output') return;
    const room = this.#options.maxOutputBytes - this.#bytes;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#chunks.push(kept);
    this.#bytes += kept.length;
    if (chunk.length > room) this.#stop('too-much-output');
  }

  /** Of its output, then of its messages. */
  #lastLines(): readonly string[] {
    const printed = this.#chunks.at(-1)?.subarray(-STDERR_TAIL_BYTES).toString('utf8') ?? '';
    return `${printed}\n${this.#stderr.text()}`.split('\n').filter((line) => line.trim() !== '');
  }

  #onProgress(): void {
    if (this.#options.extendedMs !== undefined) this.#startTimer();
  }

  /** Time spent waiting for the user does not count. */
  #pauseUntil(over: Promise<unknown>): void {
    clearTimeout(this.#timer);
    const since = performance.now();
    const goOn = (): void => {
      this.#deadline += performance.now() - since;
      if (this.#end === 'exited' && !this.#isOver) this.#startTimer();
    };
    over.then(goOn, goOn);
  }

  #startTimer(): void {
    clearTimeout(this.#timer);
    const { timeoutMs, extendedMs } = this.#options;
    const left = this.#deadline - performance.now();
    const end = extendedMs === undefined || left <= timeoutMs ? 'timed-out' : 'stalled';
    this.#timer = setTimeout(() => this.#stop(end), Math.min(timeoutMs, left, MAX_TIMER_MS));
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

/** Resolves when the other side has closed. */
function read(stream: Readable | undefined, take: (chunk: Buffer) => void): Promise<void> {
  if (stream === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    stream.on('data', take);
    stream.once('error', () => resolve());
    stream.once('close', () => resolve());
  });
}

/** Keeps the last of what is pushed, whatever its length. */
export class KeptTail {
  readonly #most: number;
  #kept: Buffer = Buffer.alloc(0);
  #cut = false;

  constructor(most: number) {
    this.#most = most;
  }

  push(chunk: Buffer): void {
    const all = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk]);
    this.#cut ||= all.length > this.#most;
    this.#kept = all.length > this.#most ? Buffer.from(all.subarray(-this.#most)) : all;
  }

  /** From the start of a line where something was dropped. */
  text(): string {
    const text = this.#kept.toString('utf8');
    const start = this.#cut ? text.indexOf('\n') + 1 : 0;
    return text.slice(start).trimEnd();
  }
}

/** As much of a first line as systems read. */
const FIRST_LINE_BYTES = 256;

/** Why an executable did not start. Of what is missing, Node names the executable, whatever it is. */
function whyNotStarted(
  error: unknown,
  { file, cwd }: { readonly file: string; readonly cwd: string },
): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (errnoOf(error) !== 'ENOENT') return error;
  if (!existsSync(file)) return new Error('it is no longer there', { cause: error });
  if (!existsSync(cwd)) return new Error(`${cwd}, where it runs, does not exist`, { cause: error });
  const interpreter = interpreterOf(file);
  // What is missing may also be what the interpreter itself asks for.
  if (interpreter === undefined || existsSync(interpreter)) return error;
  const hint = interpreter.endsWith('\r') ? ' (it has the line ends of Windows)' : '';
  const message = `its first line asks for ${JSON.stringify(interpreter)}, which does not exist${hint}`;
  return new Error(message, { cause: error });
}

function interpreterOf(file: string): string | undefined {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const start = Buffer.alloc(FIRST_LINE_BYTES);
      const text = start.toString('utf8', 0, readSync(descriptor, start));
      return /^#![ \t]*([^ \t\n]+)/.exec(text)?.[1];
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}
