import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Found, Wanted } from './found.js';

const KINDS: Readonly<Record<string, Found['kind']>> = { d: 'folder', f: 'file', l: 'link', u: 'unseen' };
const END = Buffer.from('\0');

/**
 * One folder, watched by a process of the launcher, which can say at any time what is in it without looking at
 * everything again; see `watch.c`. It keeps no process of Node alive.
 */
export class FolderWatch implements Disposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #ended: Promise<never>;
  #answer: Buffer[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(launcher: string, folder: string, { endings, maxFolders }: Wanted) {
    this.#process = spawn(launcher, ['--watch', folder, String(maxFolders), ...endings], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    this.#ended = this.#end();
    // Whoever asks is told.
    this.#ended.catch(() => undefined);
    this.#process.stdin.on('error', () => undefined);
    this.#hold(false);
  }

  /** False once the process has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Everything found in the folder at this moment. Rejects when the process has ended. */
  ask(): Promise<readonly Found[]> {
    const asked = this.#last.then(() => this.#ask());
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  dispose(): void {
    this.#isOver = true;
    this.#process.stdin.end();
    this.#process.kill('SIGKILL');
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  async #ask(): Promise<readonly Found[]> {
    this.#hold(true);
    try {
      const answer = this.#read();
      this.#process.stdin.write('?');
      return await Promise.race([answer, this.#ended]);
    } finally {
      this.#hold(false);
    }
  }

  async #read(): Promise<readonly Found[]> {
    this.#answer = [];
    for (;;) {
      const [chunk]: unknown[] = await once(this.#process.stdout, 'data');
      if (Buffer.isBuffer(chunk)) this.#answer.push(chunk);
      const records = readRecords(this.#answer);
      if (records !== undefined) return records;
    }
  }

  async #end(): Promise<never> {
    try {
      await once(this.#process, 'close');
    } finally {
      this.#isOver = true;
    }
    throw new Error('The watch of a folder has ended');
  }

  #hold(isHeld: boolean): void {
    const { stdin, stdout } = this.#process;
    const pipes = [stdin, stdout].filter((pipe) => pipe instanceof Socket);
    for (const each of [this.#process, ...pipes]) {
      if (isHeld) each.ref();
      else each.unref();
    }
  }
}

/** An answer, once it is complete. */
function readRecords(chunks: readonly Buffer[]): readonly Found[] | undefined {
  const last = chunks.at(-1);
  if (last === undefined || !last.subarray(-1).equals(END)) return undefined;
  const records = Buffer.concat(chunks).toString().split('\0').slice(0, -1);
  if (records.at(-1)?.startsWith('.') !== true) return undefined;
  return records.slice(0, -1).flatMap((record) => {
    const kind = KINDS[record.charAt(0)];
    return kind === undefined ? [] : { path: record.slice(1), kind };
  });
}
