import type { Root, Timer } from '@rootward/core';
import { systemClock } from '@rootward/core';
import type { FollowedWorkspace, LanguageServersOptions } from './language-servers.js';
import { LanguageServers } from './language-servers.js';
import { readPoolLimits } from './limits.js';
import { ServerBudget } from './server-budget.js';

/** Servers lent to one call. Give them back. */
export interface Lease {
  readonly servers: LanguageServers;
  dispose(): void;
  [Symbol.dispose](): void;
}

interface Group {
  readonly servers: LanguageServers;
  leases: number;
  timer?: Timer | undefined;
}

/**
 * Language servers for any number of workspaces in one process. A workspace that lives has servers of its own that
 * follow it. Calls that stand alone share servers only with calls of the same principal and the same roots, so that no
 * answer can hold anything of another's root.
 */
export class SharedLanguageServers {
  readonly #options: LanguageServersOptions;
  readonly #idleTimeout: number;
  readonly #followed = new Map<FollowedWorkspace, LanguageServers>();
  readonly #groups = new Map<string, Group>();
  readonly #ending = new Set<Promise<void>>();

  constructor(options: LanguageServersOptions = {}) {
    const limits = readPoolLimits(options.limits);
    this.#idleTimeout = limits.idleTimeout;
    this.#options = { ...options, budget: options.budget ?? new ServerBudget(limits.maxServers) };
  }

  /** The servers of a workspace that lives longer than a call. */
  follow(workspace: FollowedWorkspace): LanguageServers {
    let servers = this.#followed.get(workspace);
    if (servers === undefined) {
      servers = new LanguageServers(workspace, this.#options);
      this.#followed.set(workspace, servers);
    }
    return servers;
  }

  /** The workspace is gone, and its servers with it. */
  async unfollow(workspace: FollowedWorkspace): Promise<void> {
    const servers = this.#followed.get(workspace);
    this.#followed.delete(workspace);
    await servers?.dispose();
  }

  /** The servers for these very roots, on behalf of this very principal. */
  lease(roots: readonly Root[], principal: string | undefined): Lease {
    const key = groupKey(roots, principal);
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { servers: new LanguageServers({ snapshot: () => ({ roots }) }, this.#options), leases: 0 };
      this.#groups.set(key, group);
    }
    return this.#lend(key, group);
  }

  /** All servers of all workspaces. For whoever runs the process, not for its clients. */
  get groups(): number {
    return this.#groups.size + this.#followed.size;
  }

  async dispose(): Promise<void> {
    const all = [...this.#followed.values(), ...[...this.#groups.values()].map(({ servers }) => servers)];
    for (const { timer } of this.#groups.values()) timer?.clear();
    this.#followed.clear();
    this.#groups.clear();
    await Promise.all([...all.map((servers) => servers.dispose()), ...this.#ending]);
  }

  /** The same without asking or waiting. */
  kill(): void {
    for (const servers of this.#followed.values()) servers.kill();
    for (const { servers } of this.#groups.values()) servers.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #lend(key: string, group: Group): Lease {
    group.leases += 1;
    group.timer?.clear();
    let lent = true;
    const dispose = (): void => {
      if (!lent) return;
      lent = false;
      group.leases -= 1;
      if (group.leases === 0) this.#endLater(key, group);
    };
    return { servers: group.servers, dispose, [Symbol.dispose]: dispose };
  }

  #endLater(key: string, group: Group): void {
    const clock = this.#options.clock ?? systemClock;
    group.timer = clock.setTimeout(() => {
      if (group.leases > 0) return;
      this.#groups.delete(key);
      const ending = group.servers.dispose().finally(() => this.#ending.delete(ending));
      this.#ending.add(ending);
    }, this.#idleTimeout);
  }
}

function groupKey(roots: readonly Root[], principal: string | undefined): string {
  const places = roots.map(({ kind, access, path }) => `${kind} ${access} ${path}`).toSorted();
  return JSON.stringify([principal ?? null, places]);
}
