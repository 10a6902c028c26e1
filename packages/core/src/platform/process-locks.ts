import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Deferred, unlessAborted } from './async.js';
import { disposable, type Disposable } from './disposable.js';
import { errnoOf } from './errno.js';
import type { Environment } from './find-program.js';
import { isRunning, neighbourhood, thisProcess } from './process-identity.js';
import { stateDirectory } from './state-directory.js';

/** Where the locks of a user's processes are. */
export function lockDirectory(environment: Environment, home: string): string {
  return join(stateDirectory(environment, home), 'locks');
}

/** Options of `ProcessLocks.hold()`. */
export interface HoldOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long to wait for other processes, in milliseconds. */
  readonly patience?: number | undefined;
}

/** Holding a lock takes milliseconds; a holder that needs longer is stuck, or keeps a large file. */
const PATIENCE_MS = 30_000;
/** Processes of another machine or container cannot be looked up. A lock of theirs counts for this long. */
const FOREIGN_MS = 10_000;
const MAX_RETRY_MS = 8;
const CLAIM = 'clearing-';
const OWNER = /^([0-9a-f]{12})-(\d+)-(\d*)-[0-9a-f]{12}$/;

/**
 * Locks that processes share by their names in one folder. A lock is a link whose target says who holds it, so that it is
 * made, signed and read in one step each. The lock of a process that was killed is taken over by the next one that
 * wants it. Where there is no such folder, or it cannot be written, only the tasks of this object exclude each other.
 */
export class ProcessLocks {
  readonly #directory: () => string | undefined;
  readonly #foreignMs: number;
  /** Tasks of this object that hold a name or wait for it. */
  readonly #turns = new Map<string, Promise<void>>();
  #self: { readonly signature: string; readonly neighbourhood: string } | undefined;

  /** `directory`: its path, or what finds it out with the first lock. */
  constructor(
    directory: string | (() => string | undefined),
    { foreignMs = FOREIGN_MS }: { readonly foreignMs?: number } = {},
  ) {
    this.#directory = typeof directory === 'string' ? () => directory : directory;
    this.#foreignMs = foreignMs;
  }

  /** Runs a task while this process alone holds these names. Names are taken in one order by everybody, so none waits forever. */
  async hold<Result>(
    names: readonly string[],
    task: () => Result | Promise<Result>,
    options: HoldOptions = {},
  ): Promise<Result> {
    const held: Disposable[] = [];
    try {
      for (const name of new Set(names.toSorted())) held.push(await this.#take(name, options));
      return await task();
    } finally {
      for (const each of held.toReversed()) each.dispose();
    }
  }

  /** Takes a lock that nobody holds; undefined if somebody does. Throws where the folder cannot be written. */
  tryTake(name: string): Disposable | undefined {
    if (this.#turns.has(name)) return undefined;
    const path = this.#pathOf(name);
    if (path === undefined) throw new Error('there is no folder for locks');
    while (!this.#make(path)) if (!this.#clearAbandoned(path)) return undefined;
    return disposable(() => this.#giveBack(path));
  }

  async #take(name: string, { signal, patience = PATIENCE_MS }: HoldOptions): Promise<Disposable> {
    signal?.throwIfAborted();
    const before = this.#turns.get(name);
    const turn = new Deferred();
    this.#turns.set(name, turn.promise);
    const end = (): void => {
      if (this.#turns.get(name) === turn.promise) this.#turns.delete(name);
      turn.resolve();
    };
    const path = this.#pathOf(name);
    try {
      // One that stops waiting passes its turn on only when those before it are done.
      if (before !== undefined) await unlessAborted(before, signal);
      const isShared = path !== undefined && (await this.#waitFor(path, Date.now() + patience, signal));
      return disposable(() => {
        if (path !== undefined && isShared) this.#giveBack(path);
        end();
      });
    } catch (error) {
      if (before === undefined) end();
      else void before.then(end);
      throw error;
    }
  }

  #pathOf(name: string): string | undefined {
    const directory = this.#directory();
    return directory === undefined ? undefined : join(directory, name);
  }

  /** False where locks cannot be made in the folder. */
  async #waitFor(path: string, until: number, signal: AbortSignal | undefined): Promise<boolean> {
    for (let wait = 1; ; wait = Math.min(2 * wait, MAX_RETRY_MS)) {
      try {
        if (this.#make(path)) return true;
        if (this.#clearAbandoned(path)) continue;
      } catch {
        return false;
      }
      if (Date.now() >= until) throw busy(path);
      // At random, so that those who wait do not all come back at once.
      await delay(1 + Math.random() * wait, undefined, { signal });
    }
  }

  #make(path: string): boolean {
    for (let attempt = 0; ; attempt++) {
      try {
        // A junction, on Windows, needs no special right.
        symlinkSync(this.#sign(path), path, 'junction');
        return true;
      } catch (error) {
        if (errnoOf(error) === 'EEXIST') return false;
        if (errnoOf(error) !== 'ENOENT' || attempt > 0) throw error;
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      }
    }
  }

  /** A lock that somebody removed, with its folder perhaps, may be that of another process by now. */
  #giveBack(path: string): void {
    if (ownerOf(path) === this.#self?.signature) remove(path);
  }

  /** The target of a lock at this path. A junction has to lead to an absolute path. */
  #sign(path: string): string {
    const { signature } = this.#identity();
    return process.platform === 'win32' ? join(dirname(path), signature) : signature;
  }

  #identity(): { readonly signature: string; readonly neighbourhood: string } {
    if (this.#self !== undefined) return this.#self;
    const { pid, start } = thisProcess();
    const own = neighbourhood();
    const signature = `${own}-${pid}-${start}-${randomBytes(6).toString('hex')}`;
    return (this.#self = { signature, neighbourhood: own });
  }

  /**
   * Removes a lock whose holder is gone; false while it is held. One process at a time clears up after a holder, under a
   * claim. A holder that is gone takes no more locks, so a lock that has its name under the claim stays as it is.
   */
  #clearAbandoned(path: string): boolean {
    const owner = ownerOf(path);
    if (owner === undefined) return true;
    if (!this.#isAbandoned(owner, path)) return false;
    const claim = join(dirname(path), `${CLAIM}${owner || basename(path)}`);
    if (!this.#make(claim)) return this.#clearAbandoned(claim);
    try {
      if (ownerOf(path) === owner) remove(path);
      return true;
    } finally {
      this.#giveBack(claim);
    }
  }

  #isAbandoned(owner: string, path: string): boolean {
    const [, neighbours, pid, start = ''] = OWNER.exec(owner) ?? [];
    // Elsewhere nothing tells the processes of several machines apart.
    if (neighbours === this.#identity().neighbourhood && process.platform === 'linux') {
      return !isRunning({ pid: Number(pid), start });
    }
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && Date.now() - stats.mtimeMs > this.#foreignMs;
  }
}

function busy(path: string): Error {
  return Object.assign(new Error(`ELOCKED: another process holds ${path}`), { code: 'ELOCKED' });
}

/** The signature of a lock; empty for something else in its place, undefined where nothing is. */
function ownerOf(path: string): string | undefined {
  try {
    return basename(readlinkSync(path));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (errnoOf(error) === 'EINVAL') return '';
    throw error;
  }
}

function remove(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) rmdirSync(path);
    else unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
