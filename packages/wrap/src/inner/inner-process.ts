import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { killTrees, LineSplitter } from '@rootward/core/platform';
import type { ChildAbout, ChildRegistry } from '@rootward/mcp/host';
import { RawMessage, writeMessage } from '../wire/raw-message.js';
import { scanArray } from '../wire/scan-json.js';
import { watchGroup } from './group-watch.js';
import type { Run } from './launch.js';

/** What an inner server says and does. */
export interface InnerEvents {
  message(message: RawMessage): void;
  /** Output that is no message, and everything on stderr. */
  noise(bytes: Buffer, from: 'stdout' | 'stderr'): void;
  /** A message over the limit was thrown away; its first and last bytes. */
  tooLong(head: Buffer, tail: Buffer): void;
  ended(end: InnerEnd): void;
}

interface Pipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** How a process ended. */
export interface InnerEnd {
  /** For people: "exit code 1", "signal SIGKILL", or why it did not start. */
  readonly reason: string;
  readonly lastWords: readonly string[];
}

/** Larger than any message in use; beyond it a server is broken. */
export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024;
/** The specification has servers end when their input does; what does not is asked by a signal, then killed. */
const POLITE_MS = 500;
/** As much of what a server wrote to stderr as an error message can show. */
const MAX_WORDS_BYTES = 4096;
const MAX_WORDS_LINES = 5;
const DETACHED = process.platform !== 'win32';

/** One running server and its pipes. */
export class InnerProcess {
  readonly #child: ChildProcess;
  readonly #pipes: Pipes;
  readonly #events: InnerEvents;
  readonly #lastWords = new LastWords();
  readonly #run: Run;
  readonly #watch: Disposable | undefined;
  #ended = false;
  #stopping: NodeJS.Timeout | undefined;

  constructor(
    run: Run,
    children: ChildRegistry,
    events: InnerEvents,
    about: Pick<ChildAbout, 'name' | 'sandbox' | 'restart'>,
  ) {
    this.#events = events;
    this.#run = run;
    const child = spawn(run.command, run.args, {
      cwd: run.directory,
      env: { ...run.environment },
      detached: DETACHED,
      stdio: run.stdio ?? 'pipe',
      windowsHide: true,
    });
    run.spawned?.();
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new TypeError('Cannot start: no pipes');
    this.#child = child;
    this.#pipes = { stdin, stdout, stderr };
    children.add(this.#child, {
      ...about,
      kind: 'wrapped server',
      lastLines: () => this.#lastWords.lines(),
    });
    const { pid } = this.#child;
    this.#watch = pid === undefined ? undefined : watchGroup(pid);
    this.#listen();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get ended(): boolean {
    return this.#ended;
  }

  get lastWords(): readonly string[] {
    return this.#lastWords.lines();
  }

  /** Bytes that the server has not read yet. */
  get backlog(): number {
    return this.#pipes.stdin.writableLength;
  }

  send(pieces: readonly Buffer[]): void {
    const { stdin } = this.#pipes;
    if (this.#ended || !stdin.writable) return;
    writeMessage(stdin, pieces);
  }

  /** Calls back once what was sent has been read. */
  whenRead(callback: () => void): void {
    this.#pipes.stdin.once('drain', callback);
  }

  pause(): void {
    this.#pipes.stdout.pause();
  }

  resume(): void {
    this.#pipes.stdout.resume();
  }

  /** Ends its input, and it, where it does not follow. */
  stop(): void {
    if (this.#ended || this.#stopping !== undefined) return;
    this.#pipes.stdin.end();
    this.#stopping = setTimeout(() => {
      this.#signal('SIGTERM');
      this.#stopping = setTimeout(() => this.#signal('SIGKILL'), POLITE_MS);
    }, POLITE_MS);
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#child.pid !== undefined) killTrees([this.#child.pid], signal);
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#pipes;
    const splitter = new LineSplitter(
      {
        line: (bytes) => this.#line(bytes),
        noise: (bytes) => this.#events.noise(bytes, 'stdout'),
        tooLong: (head, tail) => this.#events.tooLong(head, tail),
      },
      MAX_MESSAGE_BYTES,
    );
    stdout.on('data', (chunk: Buffer) => splitter.push(chunk));
    stdout.on('end', () => splitter.end());
    stderr.on('data', (chunk: Buffer) => {
      this.#lastWords.push(chunk);
      this.#events.noise(chunk, 'stderr');
    });
    for (const stream of [stdin, stdout, stderr]) stream.on('error', ignore);
    this.#child.on('error', (error) => this.#end(error.message));
    // Not `exit`: what it wrote last is read before it counts as ended.
    this.#child.on('close', (code, signal) =>
      this.#end(signal === null ? `exit code ${code}` : `signal ${signal}`),
    );
    this.#child.on('exit', (code, signal) => {
      // Its children may hold the pipes open for ever.
      setTimeout(
        () => this.#end(signal === null ? `exit code ${code}` : `signal ${signal}`),
        POLITE_MS,
      ).unref();
    });
  }

  #line(bytes: Buffer): void {
    const message = RawMessage.read(bytes);
    if (message !== undefined) {
      this.#events.message(message);
      return;
    }
    const batch = scanArray(bytes)?.map(({ start, end }) => RawMessage.read(bytes.subarray(start, end)));
    if (batch === undefined || batch.includes(undefined)) {
      this.#events.noise(bytes, 'stdout');
      this.#events.noise(Buffer.from('\n'), 'stdout');
      return;
    }
    for (const each of batch) if (each !== undefined) this.#events.message(each);
  }

  #end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#stopping);
    // What it started may be there still, in its group.
    this.#signal('SIGKILL');
    this.#watch?.[Symbol.dispose]();
    this.#run.ended?.();
    this.#events.ended({ reason, lastWords: this.#lastWords.lines() });
  }
}

function ignore(): void {
  // A pipe breaks when the server ends, and that is heard of separately.
}

/** Keeps the end of a stream of text. */
class LastWords {
  #kept: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, chunk.subarray(-MAX_WORDS_BYTES)]).subarray(-MAX_WORDS_BYTES);
  }

  /** The last lines that say something. */
  lines(): readonly string[] {
    const lines = this.#kept.toString('utf8').split('\n');
    return lines
      .map((line) => line.trimEnd())
      .filter((line) => line !== '')
      .slice(-MAX_WORDS_LINES);
  }
}
