import type { Clock, Logger, Root, Timer } from '@rootward/core';
import { RootwardLspError } from '../error.js';
import type { FolderKind, ServerDefinition } from '../servers/definition.js';
import { followRoots, type Fate, type RootsChange } from './follow-roots.js';
import type { PoolLimits } from './limits.js';
import { afterCrash, holdOff, noCrashes, type RestartState } from './restart-policy.js';
import type { BudgetEntry, ServerBudget } from './server-budget.js';
import type { ServedFolder, ServerInstance } from './server-instance.js';

export type SlotState = 'idle' | 'starting' | 'running' | 'failed';

export interface SlotOptions {
  readonly definition: ServerDefinition;
  /** Starts the process and shakes hands. */
  readonly start: (folders: readonly ServedFolder[]) => Promise<ServerInstance>;
  readonly limits: PoolLimits;
  readonly budget: ServerBudget;
  readonly clock: Clock;
  readonly log: Logger;
  /** Removes from the output of a server what must not be shown. */
  readonly conceal: (text: string) => string;
}

/** A server that goes on until it is given back. */
export interface Lease {
  readonly instance: ServerInstance;
  readonly giveBack: () => void;
}

/** The place of one server: started when needed, once for all who wait, and given up for a while when it keeps failing. */
export class ServerSlot implements BudgetEntry {
  readonly definition: ServerDefinition;
  readonly #options: SlotOptions;
  #instance: ServerInstance | undefined;
  #starting: Promise<ServerInstance> | undefined;
  /** Changes of the roots that came while it was starting, with the roots after each. */
  #missed: (readonly [RootsChange, readonly Root[]])[] = [];
  /** Looks whether rules deny something else since the roots changed. */
  #checking: Promise<void> | undefined;
  #restarts: RestartState = noCrashes;
  #idleTimer: Timer | undefined;
  #lastUsed = 0;
  /** Callers that are about to be given the server. */
  #awaited = 0;
  readonly #stopping = new Map<ServerInstance, Promise<void>>();
  #disposed = false;

  constructor(options: SlotOptions) {
    this.definition = options.definition;
    this.#options = options;
  }

  get state(): SlotState {
    if (this.#instance !== undefined) return 'running';
    if (this.#starting !== undefined) return 'starting';
    return this.reason === undefined ? 'idle' : 'failed';
  }

  /** Why it is not running, when it should be. */
  get reason(): string | undefined {
    const { clock, conceal } = this.#options;
    const wait = holdOff(this.#restarts, clock.now());
    // Concealed now, not when it failed: the roots may have changed since.
    return wait === undefined ? undefined : conceal(wait.reason);
  }

  get kind(): FolderKind | undefined {
    return this.#instance?.kind;
  }

  get instance(): ServerInstance | undefined {
    return this.#instance;
  }

  get lastUsed(): number {
    return this.#lastUsed;
  }

  get busy(): boolean {
    return this.#awaited > 0 || this.#starting !== undefined || this.#instance?.busy === true;
  }

  /** The running server, started if need be. It is busy from now on: to make room, another is put aside. */
  async lease(folders: readonly ServedFolder[]): Promise<Lease> {
    this.#awaited += 1;
    try {
      const instance = await this.use(folders);
      return { instance, giveBack: instance.hold() };
    } finally {
      this.#awaited -= 1;
    }
  }

  /** The running server, started if need be. */
  use(folders: readonly ServedFolder[]): Promise<ServerInstance> {
    this.#requireAlive();
    this.#lastUsed = this.#options.clock.now();
    this.#watchIdle();
    if (this.#checking !== undefined) return this.#checking.then(() => this.use(folders));
    if (this.#instance !== undefined) {
      const { broken } = this.#instance;
      if (broken === undefined) return Promise.resolve(this.#instance);
      // It was ended, and its exit is still on its way.
      this.#exited(this.#instance, broken);
    }
    this.#starting ??= this.#start(folders).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** The roots changed: tells the server, or ends it where it must not go on. */
  follow(change: RootsChange, after: readonly Root[]): Fate {
    if (this.#instance === undefined) {
      if (this.#starting !== undefined) this.#missed.push([change, after]);
      return 'goes on';
    }
    const fate = followRoots(this.#instance, change, after);
    if (fate === 'ends') void this.putAside();
    // Without a folder that went, it still knows all that is left.
    if (fate === 'is replaced' && change.added.length > 0) this.#instance.readiness.outdate();
    if (fate === 'goes on') this.#checkSandbox(this.#instance, after);
    return fate;
  }

  #checkSandbox(instance: ServerInstance, after: readonly Root[]): void {
    const { sandbox } = instance.process;
    if (sandbox === undefined || sandbox.sees(after) !== 'the same') return;
    const check = async (): Promise<void> => {
      const isFitting = await sandbox.fits(after).catch(() => false);
      if (!isFitting && this.#instance === instance) void this.putAside();
    };
    const checking = check().finally(() => {
      if (this.#checking === checking) this.#checking = undefined;
    });
    this.#checking = checking;
  }

  /** Ends the server; the next use starts it again. */
  async putAside(): Promise<void> {
    const instance = this.#instance;
    if (instance === undefined) return;
    this.#instance = undefined;
    const stopping = instance.stop().finally(() => {
      this.#stopping.delete(instance);
      this.#leaveBudget();
    });
    this.#stopping.set(instance, stopping);
    await stopping;
  }

  /** The same, and earlier crashes no longer count. */
  async restart(): Promise<void> {
    this.#restarts = noCrashes;
    await this.putAside();
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#idleTimer?.clear();
    await this.#starting?.catch(() => undefined);
    void this.putAside();
    await Promise.all(this.#stopping.values());
  }

  /** The same without asking or waiting. Does NOT end one that is just starting: its starter does. */
  kill(): void {
    this.#disposed = true;
    this.#idleTimer?.clear();
    this.#instance?.kill();
    for (const instance of this.#stopping.keys()) instance.kill();
  }

  async #start(folders: readonly ServedFolder[]): Promise<ServerInstance> {
    const { definition, budget, log } = this.#options;
    const { reason } = this;
    if (reason !== undefined) {
      throw new RootwardLspError('crashed', `Cannot use ${definition.name}: ${reason}`, {
        instruction: 'Work without it for now: reading and searching files does not need it',
      });
    }
    this.#missed = [];
    // One process at a time: the one before must be gone first.
    await Promise.all(this.#stopping.values());
    await budget.add(this);
    try {
      this.#requireAlive();
      const instance = await this.#options.start(folders);
      if (this.#disposed) {
        instance.kill();
        this.#requireAlive();
      }
      this.#instance = instance;
      void instance.process.exited.then((how) => this.#exited(instance, how));
      instance.onDidIdle = () => budget.wake();
      // Nobody has used it yet: it need not go on until another takes over.
      for (const [change, after] of this.#missed)
        if (this.follow(change, after) === 'is replaced') void this.putAside();
      return instance;
    } catch (error) {
      budget.remove(this);
      if (!this.#disposed) this.#recordCrash(error instanceof Error ? error.message : String(error));
      log.debug('language server failed to start', { server: definition.name });
      throw error;
    }
  }

  #exited(instance: ServerInstance, how: string): void {
    if (this.#instance !== instance) return;
    this.#instance = undefined;
    this.#leaveBudget();
    const reason = instance.broken ?? `it ended with ${how}`;
    this.#recordCrash(reason + instance.process.lastWords());
  }

  /** Unless it runs again, or is about to: the process that ended was the one before. */
  #leaveBudget(): void {
    if (this.#instance === undefined && this.#starting === undefined) this.#options.budget.remove(this);
  }

  #recordCrash(reason: string): void {
    this.#restarts = afterCrash(this.#restarts, { at: this.#options.clock.now(), reason });
  }

  #watchIdle(): void {
    const { clock, limits } = this.#options;
    this.#idleTimer?.clear();
    this.#idleTimer = clock.setTimeout(() => {
      if (this.busy) this.#watchIdle();
      else void this.putAside();
    }, limits.idleTimeout);
  }

  #requireAlive(): void {
    if (!this.#disposed) return;
    throw new RootwardLspError('disposed', `Cannot use ${this.definition.name}: the servers were shut down`);
  }
}
