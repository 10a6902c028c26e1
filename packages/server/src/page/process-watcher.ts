import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { Emitter, isAlive } from '@rootward/core/platform';
import type { Disposable } from '@rootward/core';
import type { ActivityEvent } from '../audit/event-hub.js';
import { isOwnFolder } from '../watch/runtime-folder.js';
import type { ProcessState, ToProcess } from '../watch/protocol.js';
import { ProcessLink } from './process-link.js';

/** An event of any process, with a number that is this watcher's own. */
export interface WatchedEvent {
  readonly number: number;
  readonly pid: number;
  readonly event: ActivityEvent;
}

export type WatchedChange =
  | { readonly type: 'processes'; readonly processes: readonly ProcessState[] }
  | { readonly type: 'events'; readonly events: readonly WatchedEvent[] };

/** Processes come and go seldom, and a folder of sockets is read in no time. */
const SCAN_MS = 500;
const MAX_EVENTS = 10_000;
const MAX_PROCESSES = 200;
const SOCKET_NAME = /^([1-9]\d*)\.sock$/;

/** A process that refuses is asked again: it may have been started before the key was made. */
const REFUSED_MS = 5000;

export interface WatcherOptions {
  /** The folder of the sockets. */
  readonly folder: string;
  /** The folder of the key. */
  readonly door: string;
  /** The only process to look at. */
  readonly only?: number | undefined;
  /** Told once for each process that cannot be shown. */
  readonly onRefused: (pid: number, reason: string) => void;
}

/** Finds the processes of this user by their sockets, and gathers what they show. */
export class ProcessWatcher {
  readonly #links = new Map<number, ProcessLink>();
  readonly #states = new Map<number, ProcessState>();
  readonly #events: WatchedEvent[] = [];
  readonly #changes = new Emitter<WatchedChange>();
  readonly #timer: NodeJS.Timeout;
  readonly #refused = new Map<number, number>();
  readonly #options: WatcherOptions;
  #lastNumber = 0;

  constructor(options: WatcherOptions) {
    this.#options = options;
    this.#scan();
    this.#timer = setInterval(() => this.#scan(), SCAN_MS).unref();
  }

  get processes(): readonly ProcessState[] {
    return [...this.#states.values()].sort((one, other) => one.started - other.started);
  }

  /** The events after a number, oldest first. */
  eventsAfter(number: number): readonly WatchedEvent[] {
    return this.#events.slice(-MAX_EVENTS).filter((event) => event.number > number);
  }

  onDidChange(listener: (change: WatchedChange) => void): Disposable {
    return this.#changes.add(listener);
  }

  async request(pid: number, method: ToProcess['method'], params: ToProcess['params']): Promise<unknown> {
    const link = this.#links.get(pid);
    if (link === undefined) throw new Error('The process has ended');
    return await link.request(method, params);
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#changes.clear();
    for (const link of this.#links.values()) link.close();
  }

  #scan(): void {
    const { folder, only } = this.#options;
    if (!isOwnFolder(folder)) return;
    for (const name of readdirSync(folder)) {
      const pid = Number(SOCKET_NAME.exec(name)?.[1]);
      if (!Number.isInteger(pid) || this.#links.has(pid) || this.#links.size >= MAX_PROCESSES) continue;
      if (only !== undefined && pid !== only) continue;
      if (performance.now() < (this.#refused.get(pid) ?? 0)) continue;
      const path = join(folder, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats?.isSocket() !== true || stats.uid !== userInfo().uid) continue;
      if (isAlive(pid)) this.#connect(path, pid);
      else removeStale(path);
    }
  }

  #connect(path: string, pid: number): void {
    const link = new ProcessLink(path, pid, this.#options.door, {
      onState: (state) => {
        this.#states.set(pid, state);
        this.#announce();
      },
      onEvents: (events) => {
        const watched = events.map((event) => ({ number: ++this.#lastNumber, pid, event }));
        this.#events.push(...watched);
        if (this.#events.length > 2 * MAX_EVENTS) this.#events.splice(0, this.#events.length - MAX_EVENTS);
        if (watched.length > 0) this.#changes.fire({ type: 'events', events: watched });
      },
      onEnd: (refused) => {
        this.#links.delete(pid);
        if (refused !== undefined) this.#noteRefusal(pid, refused);
        if (this.#states.delete(pid)) this.#announce();
      },
    });
    this.#links.set(pid, link);
  }

  #noteRefusal(pid: number, reason: string): void {
    if (!this.#refused.has(pid)) this.#options.onRefused(pid, reason);
    if (this.#refused.size > MAX_PROCESSES) this.#refused.clear();
    this.#refused.set(pid, performance.now() + REFUSED_MS);
  }

  #announce(): void {
    this.#changes.fire({ type: 'processes', processes: this.processes });
  }
}

/** A process that was killed leaves its socket. */
function removeStale(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another page has already removed it.
  }
}
