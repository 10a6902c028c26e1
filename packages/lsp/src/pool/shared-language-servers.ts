import type { Root, Timer } from '@rootward/core';
import { systemClock } from '@rootward/core';
import { RootwardLspError } from '../error.js';
import { MovableRoots } from './movable-roots.js';
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

/** A call under way, of a workspace or one that stands alone. */
interface Call {
  readonly workspace: FollowedWorkspace | undefined;
}

interface Group {
  key: string;
  readonly roots: MovableRoots;
  readonly servers: LanguageServers;
  readonly members: Set<FollowedWorkspace>;
  readonly calls: Set<Call>;
  /** Has served calls that stand alone: the next one may come soon. */
  lent: boolean;
  timer?: Timer | undefined;
}

interface Member {
  readonly principal: string | undefined;
  readonly following: { dispose(): void } | undefined;
  group: Group;
}

/**
 * Language servers for any number of workspaces in one process. They are shared by those of the same principal with the
 * same roots, and by nobody else, so that no answer can hold anything of another's root. A workspace that lives takes
 * them along when its roots change, unless others use them too.
 */
export class SharedLanguageServers {
  readonly #options: LanguageServersOptions;
  readonly #idleTimeout: number;
  readonly #members = new Map<FollowedWorkspace, Member>();
  readonly #groups = new Map<string, Group>();
  readonly #ending = new Map<Group, Promise<void>>();
  #disposed = false;

  constructor(options: LanguageServersOptions = {}) {
    const limits = readPoolLimits(options.limits);
    this.#idleTimeout = limits.idleTimeout;
    this.#options = { ...options, budget: options.budget ?? new ServerBudget(limits.maxServers) };
  }

  /** The servers of a workspace that lives longer than a call, for its roots as they are now. Ask anew for each call. */
  follow(workspace: FollowedWorkspace, principal: string | undefined): LanguageServers {
    return this.#groupOf(workspace, principal).servers;
  }

  /** The same for one call, which keeps what it began with when the workspace goes over to other servers meanwhile. */
  borrow(workspace: FollowedWorkspace, principal: string | undefined): Lease {
    return this.#lend(this.#groupOf(workspace, principal), workspace);
  }

  /** The workspace is gone, and its servers with it unless others use them. Its calls are not waited for. */
  async unfollow(workspace: FollowedWorkspace): Promise<void> {
    const member = this.#members.get(workspace);
    if (member === undefined) return;
    this.#members.delete(workspace);
    member.following?.dispose();
    const left = [...this.#groups.values()].filter((group) => {
      const calls = [...group.calls].filter((call) => call.workspace === workspace);
      for (const call of calls) group.calls.delete(call);
      return calls.length > 0 || group === member.group;
    });
    await Promise.all(left.map((group) => this.#leave(workspace, group)));
  }

  /** The servers for these very roots, on behalf of this very principal. */
  lease(roots: readonly Root[], principal: string | undefined): Lease {
    const group = this.#groupFor(roots, principal);
    group.lent = true;
    return this.#lend(group, undefined);
  }

  /** All servers of all workspaces. For whoever runs the process, not for its clients. */
  get groups(): number {
    return this.#groups.size;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    for (const { following } of this.#members.values()) following?.dispose();
    this.#members.clear();
    const groups = [...this.#groups.values()];
    this.#groups.clear();
    for (const { timer } of groups) timer?.clear();
    await Promise.all([...groups.map(({ servers }) => servers.dispose()), ...this.#ending.values()]);
  }

  /** The same without asking or waiting. */
  kill(): void {
    this.#disposed = true;
    for (const { servers } of [...this.#groups.values(), ...this.#ending.keys()]) servers.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #groupOf(workspace: FollowedWorkspace, principal: string | undefined): Group {
    let member = this.#members.get(workspace);
    if (member === undefined) {
      const group = this.#join(workspace, principal);
      const following = workspace.onDidChange?.(() => this.#keepUp(workspace));
      member = { principal, following, group };
      this.#members.set(workspace, member);
    }
    this.#keepUp(workspace);
    return member.group;
  }

  #lend(group: Group, workspace: FollowedWorkspace | undefined): Lease {
    const call: Call = { workspace };
    group.calls.add(call);
    const dispose = (): void => {
      if (group.calls.delete(call)) void this.#release(group);
    };
    return { servers: group.servers, dispose, [Symbol.dispose]: dispose };
  }

  #groupFor(roots: readonly Root[], principal: string | undefined): Group {
    if (this.#disposed) throw new RootwardLspError('disposed', 'Cannot ask: the servers were shut down');
    const key = groupKey(roots, principal);
    let group = this.#groups.get(key);
    if (group === undefined) {
      const movable = new MovableRoots(roots);
      const servers = new LanguageServers(movable, this.#options);
      group = { key, roots: movable, servers, members: new Set(), calls: new Set(), lent: false };
      this.#groups.set(key, group);
    }
    group.timer?.clear();
    return group;
  }

  #join(workspace: FollowedWorkspace, principal: string | undefined): Group {
    const group = this.#groupFor(workspace.snapshot().roots, principal);
    group.members.add(workspace);
    return group;
  }

  /** A workspace that is alone with its servers lets them follow; otherwise it leaves them to the others. */
  #keepUp(workspace: FollowedWorkspace): void {
    const member = this.#members.get(workspace);
    if (member === undefined) return;
    const { group, principal } = member;
    const { roots } = workspace.snapshot();
    const key = groupKey(roots, principal);
    if (group.key === key) return;
    const isAlone =
      group.members.size === 1 && [...group.calls].every((call) => call.workspace === workspace);
    if (isAlone && !this.#groups.has(key)) {
      this.#groups.delete(group.key);
      group.key = key;
      this.#groups.set(key, group);
      group.roots.move(roots);
      return;
    }
    member.group = this.#join(workspace, principal);
    void this.#leave(workspace, group);
  }

  async #leave(workspace: FollowedWorkspace, group: Group): Promise<void> {
    group.members.delete(workspace);
    await this.#release(group);
  }

  /** Ends servers that nobody uses: at once, or after a while where the next call that stands alone may want them. */
  async #release(group: Group): Promise<void> {
    const isUsed = (): boolean => group.calls.size > 0 || group.members.size > 0;
    if (isUsed() || this.#disposed) return;
    if (!group.lent || !group.servers.used) {
      await this.#end(group);
      return;
    }
    group.timer?.clear();
    group.timer = (this.#options.clock ?? systemClock).setTimeout(() => {
      if (!isUsed()) void this.#end(group);
    }, this.#idleTimeout);
  }

  async #end(group: Group): Promise<void> {
    this.#groups.delete(group.key);
    const ending = group.servers.dispose().finally(() => this.#ending.delete(group));
    this.#ending.set(group, ending);
    await ending;
  }
}

function groupKey(roots: readonly Root[], principal: string | undefined): string {
  const places = roots.map(({ kind, access, path }) => `${kind} ${access} ${path}`).toSorted();
  return JSON.stringify([principal ?? null, places]);
}
