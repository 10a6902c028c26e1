import { systemClock, type Root, type Timer, type Workspace, type WorkspaceChange } from '@rootward/core';
import { RootwardLspError } from '../error.js';
import type { RootsChange } from './follow-roots.js';
import type { FollowedRoots, LanguageServersOptions } from './options.js';
import { LanguageServers } from './language-servers.js';
import { readPoolLimits } from './limits.js';
import { ServerBudget } from './server-budget.js';

/** Few lists are given up in practice. The limit keeps a client that invents thousands from using up memory. */
const MAX_LEFT = 100;

/** What of a workspace the servers need: its roots, and to be told of each change. */
export type FollowedWorkspace = Pick<Workspace, 'snapshot' | 'follow' | 'followed'>;

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
  readonly principal: string | undefined;
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
  group: Group;
  /** Of the latest change it was told of. */
  epoch: number;
  readonly following: { dispose(): void };
}

/**
 * Language servers for any number of workspaces in one process. They are shared by those of the same principal with the
 * same roots, and by nobody else, so that no answer can hold anything of another's root. A workspace that lives takes
 * them along when its roots change, unless others use them too; so does a principal whose calls bring a new list.
 */
export class SharedLanguageServers {
  readonly #options: LanguageServersOptions;
  readonly #idleTimeout: number;
  readonly #members = new Map<FollowedWorkspace, Member>();
  readonly #groups = new Map<string, Group>();
  readonly #ending = new Map<Group, Promise<void>>();
  /** Lists of roots whose servers went over to another list. */
  readonly #left = new Set<string>();
  #disposed = false;

  constructor(options: LanguageServersOptions = {}) {
    const limits = readPoolLimits(options.limits);
    this.#idleTimeout = limits.idleTimeout;
    this.#options = { ...options, budget: options.budget ?? new ServerBudget(limits.maxServers) };
  }

  /**
   * The servers for these roots of a workspace that lives longer than a call. While the workspace has other roots, as
   * for a call with roots of its own, they are those of `lease()`. The call keeps what it began with when the workspace
   * goes over to other servers meanwhile.
   */
  async borrow(
    workspace: FollowedWorkspace,
    roots: readonly Root[],
    principal: string | undefined,
    signal?: AbortSignal,
  ): Promise<Lease> {
    const key = groupKey(roots, principal);
    const { epoch, roots: current } = workspace.snapshot();
    if (groupKey(current, principal) !== key) return this.lease(roots, principal);
    const member = this.#members.get(workspace) ?? this.#follow(workspace, principal);
    if (member.epoch < epoch) await workspace.followed(signal);
    return member.group.key === key ? this.#lend(member.group, workspace) : this.lease(roots, principal);
  }

  /** The workspace is gone, and its servers with it unless others use them. Its calls are not waited for. */
  async unfollow(workspace: FollowedWorkspace): Promise<void> {
    const member = this.#members.get(workspace);
    if (member === undefined) return;
    this.#members.delete(workspace);
    member.following.dispose();
    const left = [...this.#groups.values()].filter((group) => {
      const calls = [...group.calls].filter((call) => call.workspace === workspace);
      for (const call of calls) group.calls.delete(call);
      return calls.length > 0 || group === member.group;
    });
    await Promise.all(left.map((group) => this.#leave(workspace, group)));
  }

  /**
   * The servers for these very roots, on behalf of this very principal. A new list takes over the servers of an older one
   * that nobody uses just now and that has a root in common with it: they follow, and stay warm.
   */
  lease(roots: readonly Root[], principal: string | undefined): Lease {
    const key = groupKey(roots, principal);
    if (!this.#groups.has(key)) this.#takeOver(key, roots, principal);
    const group = this.#groupFor(roots, principal);
    group.lent = true;
    return this.#lend(group, undefined);
  }

  /** All servers of all workspaces. For the operator, not for clients. */
  get groups(): number {
    return this.#groups.size;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    for (const workspace of this.#members.keys()) void this.unfollow(workspace);
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

  /** Throws when the workspace has ended: nobody would end the servers then. */
  #follow(workspace: FollowedWorkspace, principal: string | undefined): Member {
    this.#requireAlive();
    const { epoch, roots } = workspace.snapshot();
    const following = workspace.follow({
      name: 'language servers',
      apply: (change) => this.#keepUp(workspace, member, change),
      ended: () => void this.unfollow(workspace),
    });
    const member: Member = { principal, following, epoch, group: this.#join(workspace, roots, principal) };
    this.#members.set(workspace, member);
    return member;
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
    this.#requireAlive();
    const key = groupKey(roots, principal);
    let group = this.#groups.get(key);
    if (group === undefined) {
      const movable = new MovableRoots(roots);
      const servers = new LanguageServers(movable, this.#options);
      group = { key, principal, roots: movable, servers, members: new Set(), calls: new Set(), lent: false };
      this.#groups.set(key, group);
    }
    group.timer?.clear();
    return group;
  }

  #takeOver(key: string, roots: readonly Root[], principal: string | undefined): void {
    // The list is used again: two lists alternate, so each gets its own servers.
    if (this.#left.delete(key)) return;
    const [idle] = [...this.#groups.values()]
      .filter(
        (group) =>
          group.principal === principal && group.members.size + group.calls.size === 0 && group.servers.used,
      )
      .map((group) => ({ group, common: roots.length - without(roots, group.roots.snapshot().roots).length }))
      .filter(({ common }) => common > 0)
      .sort((a, b) => b.common - a.common);
    if (idle === undefined) return;
    const { group } = idle;
    if (this.#left.size >= MAX_LEFT) this.#left.clear();
    this.#left.add(group.key);
    const before = group.roots.snapshot().roots;
    this.#move(group, key, { added: without(roots, before), removed: without(before, roots) }, roots);
  }

  #move(group: Group, key: string, change: RootsChange, roots: readonly Root[]): void {
    this.#groups.delete(group.key);
    group.key = key;
    this.#groups.set(key, group);
    group.roots.move(change, roots);
  }

  #join(workspace: FollowedWorkspace, roots: readonly Root[], principal: string | undefined): Group {
    const group = this.#groupFor(roots, principal);
    group.members.add(workspace);
    return group;
  }

  /** A workspace that is alone with its servers lets them follow; otherwise it leaves them to the others. */
  #keepUp(workspace: FollowedWorkspace, member: Member, change: WorkspaceChange): void {
    const { epoch, roots } = change.snapshot;
    if (epoch <= member.epoch) return;
    member.epoch = epoch;
    const { group, principal } = member;
    const key = groupKey(roots, principal);
    if (group.key === key) return;
    const isAlone =
      group.members.size === 1 && [...group.calls].every((call) => call.workspace === workspace);
    if (isAlone && !this.#groups.has(key)) {
      this.#move(group, key, change, roots);
      return;
    }
    member.group = this.#join(workspace, roots, principal);
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

  #requireAlive(): void {
    if (this.#disposed) throw new RootwardLspError('disposed', 'Cannot ask: the servers were shut down');
  }

  async #end(group: Group): Promise<void> {
    this.#groups.delete(group.key);
    const ending = group.servers.dispose().finally(() => this.#ending.delete(group));
    this.#ending.set(group, ending);
    await ending;
  }
}

function groupKey(roots: readonly Root[], principal: string | undefined): string {
  return JSON.stringify([principal ?? null, roots.map(placeOf).toSorted()]);
}

function placeOf({ kind, access, path }: Root): string {
  return `${kind} ${access} ${path}`;
}

/** The roots that are not among the others. */
function without(roots: readonly Root[], others: readonly Root[]): readonly Root[] {
  const places = new Set(others.map(placeOf));
  return roots.filter((root) => !places.has(placeOf(root)));
}

/** Roots that stay what they are until they are moved. */
class MovableRoots implements FollowedRoots {
  #listener: ((change: RootsChange) => void) | undefined;
  #roots: readonly Root[];

  constructor(roots: readonly Root[]) {
    this.#roots = roots;
  }

  snapshot(): { readonly roots: readonly Root[] } {
    return { roots: this.#roots };
  }

  onDidChange(listener: (change: RootsChange) => void): { dispose(): void } {
    this.#listener = listener;
    return { dispose: () => (this.#listener = undefined) };
  }

  move(change: RootsChange, roots: readonly Root[]): void {
    this.#roots = roots;
    this.#listener?.(change);
  }
}
