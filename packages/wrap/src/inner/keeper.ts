import { setTimeout as sleep } from 'node:timers/promises';
import type { Root } from '@rootward/core';
import { RootwardWrapError } from '../error.js';
import { onChange, type ChangePolicy } from './change-policy.js';
import { Instance, type InstanceEvents, type InstanceOptions } from './instance.js';
import type { Launch, Run } from './launch.js';

/** How a keeper starts servers. */
export interface KeeperOptions extends Pick<InstanceOptions, 'children' | 'era'> {
  /** What the server is called, and the sandbox it is in, for people. */
  readonly shown?: ShownServer | undefined;
  readonly policy: ChangePolicy;
  readonly events: Omit<InstanceEvents, 'crashed' | 'worked'>;
  /** How to start the server for these roots; undefined roots for a start before they are known. */
  readonly launch: (roots: readonly Root[] | undefined) => Launch;
  /** The launch as it is run, such as inside a sandbox. */
  readonly contain: ((launch: Launch, roots: readonly Root[]) => Promise<Run>) | undefined;
  /** Introduces the client to a server that has just been started. */
  readonly introduce: (instance: Instance) => Promise<void>;
  /** A server took the place of another one that had been in use. */
  readonly replaced: (instance: Instance) => void;
  readonly crashed: (error: RootwardWrapError) => void;
}

/** How long calls under way may take to finish after an addition. */
const DRAIN_MS = 10_000;
/** The same for a server that was started before the roots were known: it has none, and only lists what it offers. */
const PROVISIONAL_DRAIN_MS = 120_000;
/** A client may add folders again and again, with calls under way each time. */
const MAX_RETIRING = 4;
const CHANGED =
  'the folders of the workspace changed, and the server was restarted for it; call again for an answer from the new ones';

const RESTARTED = 'the operator restarted the server; call again for an answer from the new one';

/** What people are told of a server. */
interface ShownServer {
  readonly name: string;
  /** Level, backend and guarantee; `off` where there is none. */
  readonly sandbox: string;
}

interface Seat {
  readonly instance: Instance;
  readonly ready: Promise<void>;
  /** It was introduced. */
  isReady: boolean;
  /** We ended it, or are about to: callers that wait for it get the next one. */
  left: boolean;
}

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 30_000;

/** Keeps one inner server running for a root set that may change: starts, restarts, tells, backs off. */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #backoff = new Backoff();
  #roots: readonly Root[] | undefined;
  #seat: Seat | undefined;
  /** Those that were replaced, while they finish their calls. */
  readonly #retiring = new Set<Instance>();
  #opening: Promise<Seat> | undefined;
  /** Those that wait for a server. */
  #acquiring = 0;
  #served = false;
  #closed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** The server in place, introduced or not. */
  get instance(): Instance | undefined {
    return this.#seat?.instance;
  }

  /** Whether somebody waits for a server, or for an answer of the one in place. */
  get busy(): boolean {
    return this.#acquiring > 0 || this.instance?.busy === true;
  }

  /** What the next start is for. A running server is told or restarted, and cut off where a root is taken from it. */
  change(roots: readonly Root[], isRemoval: boolean): void {
    this.#roots = roots;
    if (isRemoval) this.#cutRetiring(roots);
    const seat = this.#seat;
    if (seat === undefined) return;
    const { instance } = seat;
    if (instance.provisional) {
      this.#leave(seat, false);
      return;
    }
    const { contain } = this.#options;
    // What a sandbox allows is fixed when the process starts.
    const policy = contain === undefined ? this.#options.policy : 'restart';
    const action = onChange({
      policy,
      askedForRoots: instance.askedForRoots,
      launch: instance.launch,
      next: this.#launchFor(roots),
    });
    if (action === 'notify') instance.tell(roots);
    else this.#leave(seat, isRemoval);
  }

  /** Where roots were not known before. */
  settle(roots: readonly Root[]): void {
    if (this.#roots === undefined || this.#seat?.instance.provisional === true) this.change(roots, false);
  }

  /** What `acquire()` would give without waiting; undefined where it would wait. */
  get ready(): Instance | undefined {
    const seat = this.#seat;
    return seat?.isReady === true && seat.instance.usable ? seat.instance : undefined;
  }

  /** Does something with a server that has been introduced: at once where there is one, which returns undefined. */
  use(work: (instance: Instance) => void): Promise<void> | undefined {
    const { ready } = this;
    if (ready === undefined) return this.acquire().then(work);
    work(ready);
    return undefined;
  }

  /** A server that has been introduced, started where none is running. Rejects where it cannot be started. */
  async acquire(): Promise<Instance> {
    this.#acquiring += 1;
    try {
      return await this.#acquire();
    } finally {
      this.#acquiring -= 1;
    }
  }

  async #acquire(): Promise<Instance> {
    for (;;) {
      if (this.#closed) throw closed();
      const seat = this.#seat ?? (await this.#open());
      try {
        await seat.ready;
      } catch (error) {
        if (seat.left) continue;
        throw error;
      }
      if (!seat.left && seat.instance.usable) return seat.instance;
      if (seat === this.#seat) this.#seat = undefined;
    }
  }

  /**
   * The first server for a client. One that ends over a question of the modern era is asked in the older one; one that
   * does not start in an empty folder, such as a script of a package, may start where this process did: `startHere`
   * arranges that, and returns false where it is arranged already.
   */
  async acquireFirst(startHere: () => boolean): Promise<Instance> {
    const { era } = this.#options;
    const triedModern = era.triesModern;
    try {
      return await this.acquire();
    } catch (error) {
      if (!(error instanceof RootwardWrapError) || error.code !== 'ended') throw error;
      const isOver = triedModern && !era.triesModern;
      if (!isOver) {
        if (this.#roots !== undefined || !startHere()) throw error;
        era.forget();
      }
      return this.acquireFirst(startHere);
    }
  }

  /** Ends the server now, even in the middle of a call, and starts another. */
  async restart(): Promise<void> {
    const seat = this.#seat;
    if (seat !== undefined) this.#leave(seat, true, RESTARTED);
    await this.acquire();
  }

  close(reason: string): void {
    this.#closed = true;
    this.#seat?.instance.cut(reason);
    this.#seat = undefined;
    for (const instance of this.#retiring) instance.cut(reason);
  }

  /** Undefined where the next start is refused, which whoever waits for it is told. */
  #launchFor(roots: readonly Root[]): Launch | undefined {
    try {
      return this.#options.launch(roots);
    } catch {
      return undefined;
    }
  }

  #open(): Promise<Seat> {
    this.#opening ??= this.#start().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #start(): Promise<Seat> {
    const { delay } = this.#backoff;
    if (delay > 0) await sleep(delay, undefined, { ref: false });
    const { contain, launch, children, era, events, introduce, shown } = this.#options;
    const roots = this.#roots;
    const planned = launch(roots);
    const run: Run = contain === undefined ? planned : await contain(planned, roots ?? []);
    if (this.#closed || this.#roots !== roots) {
      // Nothing is run with what was made ready for it.
      run.spawned?.();
      run.ended?.();
      if (this.#closed) throw closed();
      return this.#start();
    }
    const instance = new Instance({
      launch: planned,
      run,
      roots: roots ?? [],
      provisional: roots === undefined,
      children,
      era,
      about: { name: planned.command, sandbox: 'off', ...shown, restart: () => this.restart() },
      events: {
        ...events,
        crashed: (crashed, error) => this.#onCrash(crashed, error),
        worked: () => this.#backoff.worked(),
      },
    });
    const seat: Seat = { instance, ready: introduce(instance), isReady: false, left: false };
    this.#seat = seat;
    seat.ready.then(
      () => this.#onReady(seat),
      () => {
        if (this.#seat === seat) this.#seat = undefined;
        if (instance.usable) instance.cut('it could not be introduced');
      },
    );
    return seat;
  }

  #onReady(seat: Seat): void {
    seat.isReady = true;
    if (this.#served) this.#options.replaced(seat.instance);
    this.#served = true;
  }

  #leave(seat: Seat, isRemoval: boolean, reason = CHANGED): void {
    const { instance } = seat;
    seat.left = true;
    this.#seat = undefined;
    if (isRemoval) {
      instance.cut(reason);
      return;
    }
    const [oldest] = this.#retiring;
    if (oldest !== undefined && this.#retiring.size >= MAX_RETIRING) {
      this.#retiring.delete(oldest);
      oldest.cut(reason);
    }
    this.#retiring.add(instance);
    const ms = instance.provisional ? PROVISIONAL_DRAIN_MS : DRAIN_MS;
    void instance.retire(ms, reason).then(() => this.#retiring.delete(instance));
  }

  /** An addition may be followed by a removal before the calls from before the addition have finished. */
  #cutRetiring(roots: readonly Root[]): void {
    for (const instance of this.#retiring) {
      const hasAll = instance.roots.every(({ path, access }) =>
        roots.some((root) => root.path === path && root.access === access),
      );
      if (!hasAll) instance.cut(CHANGED);
    }
  }

  #onCrash(instance: Instance, error: RootwardWrapError): void {
    this.#backoff.failed();
    if (this.#seat?.instance !== instance) return;
    this.#seat = undefined;
    if (!instance.provisional) this.#options.crashed(error);
  }
}

function closed(): RootwardWrapError {
  return new RootwardWrapError('closed', 'Cannot ask the server: the connection is closed');
}

/** How long to wait before a server that keeps ending is started again. The first time at once. */
export class Backoff {
  #failures = 0;

  get delay(): number {
    return this.#failures < 2 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 2), MAX_PAUSE_MS);
  }

  failed(): void {
    this.#failures += 1;
  }

  /** It answered a request, so it works. */
  worked(): void {
    this.#failures = 0;
  }
}
