import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { killTrees } from '@rootward/core/platform';
import type { ChildRegistry } from '@rootward/mcp/host';
import { LineSplitter } from '../wire/line-splitter.js';
import { RawMessage } from '../wire/raw-message.js';
import { scanArray } from '../wire/scan-json.js';
import { watchGroup } from './group-watch.js';
import { LastWords } from './last-words.js';
import type { Launch } from './launch.js';

/** What an inner server says and does. */
export interface InnerEvents {
  message(message: RawMessage): void;
  /** Output that is no message, and everything on stderr. */
  noise(bytes: Buffer): void;
  /** A message over the limit was thrown away; its last bytes. */
  tooLong(tail: Buffer): void;
  ended(end: InnerEnd): void;
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
const DETACHED = process.platform !== 'win32';

/** One running server and its pipes. */
export class InnerProcess {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #events: InnerEvents;
  readonly #lastWords = new LastWords();
  readonly #watch: Disposable | undefined;
  #ended = false;
  #stopping: NodeJS.Timeout | undefined;

  constructor(launch: Launch, children: ChildRegistry, events: InnerEvents) {
    this.#events = events;
    this.#child = spawn(launch.command, launch.args, {
      cwd: launch.directory,
      env: { ...launch.environment },
      detached: DETACHED,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    children.add(this.#child);
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
    return this.#child.stdin.writableLength;
  }

  send(pieces: readonly Buffer[]): void {
    const { stdin } = this.#child;
    if (this.#ended || !stdin.writable) return;
    stdin.cork();
    for (const piece of pieces) stdin.write(piece);
    stdin.write('\n');
    stdin.uncork();
  }

  /** Calls back once what was sent has been read. */
  whenRead(callback: () => void): void {
    this.#child.stdin.once('drain', callback);
  }

  pause(): void {
    this.#child.stdout.pause();
  }

  resume(): void {
    this.#child.stdout.resume();
  }

  /** Ends its input, and it, where it does not follow. */
  stop(): void {
    if (this.#ended || this.#stopping !== undefined) return;
    this.#child.stdin.end();
    this.#stopping = setTimeout(() => {
      this.#signal('SIGTERM');
      this.#stopping = setTimeout(() => this.#signal('SIGKILL'), POLITE_MS);
    }, POLITE_MS);
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    if (this.#child.pid !== undefined) killTrees([this.#child.pid], signal);
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    const splitter = new LineSplitter(
      {
        line: (bytes) => this.#line(bytes),
        noise: (bytes) => this.#events.noise(bytes),
        tooLong: (tail) => this.#events.tooLong(tail),
      },
      MAX_MESSAGE_BYTES,
    );
    stdout.on('data', (chunk: Buffer) => splitter.push(chunk));
    stdout.on('end', () => splitter.end());
    stderr.on('data', (chunk: Buffer) => {
      this.#lastWords.push(chunk);
      this.#events.noise(chunk);
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
    const batch = scanArray(bytes.toString('latin1'))?.map(({ start, end }) =>
      RawMessage.read(bytes.subarray(start, end)),
    );
    if (batch === undefined || batch.includes(undefined)) {
      this.#events.noise(bytes);
      this.#events.noise(Buffer.from('\n'));
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
    this.#events.ended({ reason, lastWords: this.#lastWords.lines() });
  }
}

function ignore(): void {
  // A pipe breaks when the server ends, and that is heard of separately.
}
