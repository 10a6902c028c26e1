import { execFile } from 'node:child_process';
import { constants, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

/** Both ends of a pipe with no name left. Whoever takes it closes `writer` once the child has it. */
export interface TakenPipe {
  readonly reader: Readable;
  readonly writer: number;
}

/** Made together, since each batch costs a process: two for each of so many calls. */
const BATCH = 128;
/** Enough for a full house while the next batch is made. */
const FEW = 32;
/** Not the server's: whoever opens a workspace must not thereby choose a program. */
const SYSTEM_PATH = '/usr/bin:/bin:/run/current-system/sw/bin';

const run = promisify(execFile);

/**
 * Real pipes for the output of children. Those that Node makes are sockets, and on Linux a script cannot open
 * `/dev/stdout` or `/dev/stderr` when that is one. Node cannot make a pipe, so they are named ones, used once.
 */
export class PipeStore {
  readonly #folder: string;
  readonly #names: string[] = [];
  #made = 0;
  #making: Promise<void> | undefined;
  #unusable = process.platform !== 'linux';

  /** Pipes are made in `folder`, and leave nothing in it once they are used. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined where there are none: on other systems, or without a `mkfifo`. */
  async take(count: number): Promise<readonly TakenPipe[] | undefined> {
    while (this.#names.length < count && !this.#unusable) await this.#make();
    if (this.#unusable) return undefined;
    const names = this.#names.splice(-count);
    if (this.#names.length < FEW) void this.#make();
    return names.map((name) => open(join(this.#folder, name)));
  }

  /** One batch at a time; whoever needs one waits for the one under way. */
  #make(): Promise<void> {
    this.#making ??= this.#makeBatch().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #makeBatch(): Promise<void> {
    const names = Array.from({ length: BATCH }, () => `pipe-${this.#made++}`);
    try {
      await run('mkfifo', ['-m', '600', ...names], { cwd: this.#folder, env: { PATH: SYSTEM_PATH } });
      this.#names.push(...names);
    } catch {
      this.#unusable = true;
    }
  }
}

/** The reader first: without one, opening the other end would wait. */
function open(path: string): TakenPipe {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  unlinkSync(path);
  return { reader: new Socket({ fd: reader, readable: true, writable: false }), writer };
}
