import { execFile } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, unlinkSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { findProgram } from '@rootward/core/platform';

/** Both ends of a pipe without a name. The taker closes the writers once the child has them. */
export interface TakenPipe {
  readonly reader: Readable;
  /** Each is opened separately: a child that makes one non-blocking does not change the others. */
  readonly writers: readonly number[];
}

/** Made together, since each batch costs a process: two for each of so many calls. */
const BATCH = 256;
/** Enough for as many calls as may run at once while the next batch is made. */
const MIN_SPARE = 32;
/** What kept a batch from being made, such as too many open files, may be over by then. */
const RETRY_MS = 1000;

/** In memory: making and removing a name on a disk with a journal costs as much as starting a small program. */
const PLACES = ['/dev/shm', tmpdir()];

/**
 * Real pipes for the output of children. Those that Node makes are sockets, and on Linux a script cannot open
 * `/dev/stdout` or `/dev/stderr` when that is one. Node cannot make a pipe, so they are named ones, used once.
 */
export class PipeStore {
  readonly #folder: string | undefined = process.platform === 'linux' ? makeFolder() : undefined;
  readonly #names: string[] = [];
  #made = 0;
  /** Empty where there is none, which cannot be started. */
  readonly #mkfifo = findProgram('mkfifo', { environment: {}, roots: undefined }) ?? '';
  #making: Promise<void> | undefined;
  #notBefore = 0;

  /** What is to be removed in the end. */
  get folders(): readonly string[] {
    return this.#folder === undefined ? [] : [this.#folder];
  }

  /**
   * One pipe for each number, with so many writers. Undefined where there are none: on other systems, without a
   * `mkfifo`, or when they cannot be opened.
   */
  async take(writers: readonly number[]): Promise<readonly TakenPipe[] | undefined> {
    while (this.#names.length < writers.length && this.#canMake()) await this.#make();
    if (this.#names.length < writers.length) return undefined;
    const names = this.#names.splice(-writers.length);
    if (this.#names.length < MIN_SPARE && this.#canMake()) void this.#make();
    return openAll(names, writers);
  }

  #canMake(): boolean {
    return this.#folder !== undefined && performance.now() >= this.#notBefore;
  }

  /** One batch at a time; others wait for the one under way. */
  #make(): Promise<void> {
    this.#making ??= this.#makeBatch().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #makeBatch(): Promise<void> {
    const folder = this.#folder ?? '';
    const names = Array.from({ length: BATCH }, () => join(folder, String(this.#made++)));
    try {
      await promisify(execFile)(this.#mkfifo, ['-m', '600', ...names], { env: {} });
      this.#names.push(...names);
    } catch {
      this.#notBefore = performance.now() + RETRY_MS;
      for (const name of names) remove(name);
    }
  }
}

function makeFolder(): string | undefined {
  for (const place of PLACES) {
    try {
      return mkdtempSync(join(place, 'rootward-pipes-'));
    } catch {
      // Not there, or not for us.
    }
  }
  return undefined;
}

/** All or none, and no name is left. Undefined when the system refuses, such as with too many open files. */
function openAll(names: readonly string[], writers: readonly number[]): readonly TakenPipe[] | undefined {
  const taken: TakenPipe[] = [];
  try {
    for (const [index, name] of names.entries()) taken.push(open(name, writers[index] ?? 1));
    return taken;
  } catch {
    for (const pipe of taken) {
      pipe.reader.destroy();
      for (const writer of pipe.writers) closeSync(writer);
    }
    return undefined;
  } finally {
    for (const name of names) remove(name);
  }
}

function remove(name: string): void {
  try {
    unlinkSync(name);
  } catch {
    // It was never made, or is already removed; the folder is removed at the end.
  }
}

/** The reader first: without one, opening the other end would wait. */
function open(path: string, writers: number): TakenPipe {
  const opened = [openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)];
  try {
    while (opened.length <= writers) opened.push(openSync(path, constants.O_WRONLY));
    const [fd = 0, ...rest] = opened;
    return { reader: new Socket({ fd, readable: true, writable: false }), writers: rest };
  } catch (error) {
    for (const each of opened) closeSync(each);
    throw error;
  }
}
