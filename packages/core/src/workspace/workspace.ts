import type { Disposable } from '../platform/disposable.js';
import { RootwardError } from '../error.js';
import { silentLogger, type Logger } from '../platform/logger.js';
import { ProjectMemory } from '../project/project-memory.js';
import type { Project } from '../project/project.js';
import { diffRoots, isChange, type RootsDiff } from '../roots/diff-roots.js';
import { readRoots } from '../roots/read-roots.js';
import type { Root } from '../roots/root.js';
import type { Scope } from '../scope/scope.js';
import type { ClientDeclaration } from '../sources/client-state.js';
import { asDecided, decide, type SnapshotInput } from '../snapshot/precedence.js';
import { readRequestHints } from '../sources/request.js';
import type { SourceReading } from '../sources/root-source.js';
import { Announcer } from './changes/announcer.js';
import { Asker, type WaitOptions } from './asking/asker.js';
import { firstState, settledState } from './asking/asking-state.js';
import type { ChangeReason } from './changes/change.js';
import { systemClock, type Clock } from '../platform/clock.js';
import { unlessAborted } from '../platform/async.js';
import { explainSnapshot } from '../snapshot/explain.js';
import type { Follower } from './changes/followers.js';
import { keepWorkspace, type KeptWorkspace } from './kept-workspace.js';
import { readLimits, type WorkspaceLimits } from './limits.js';
import type { ChangeListener, ProjectListener } from './changes/listeners.js';
import { inputOf, primaryDirectory, takeSnapshot, type Snapshot } from '../snapshot/snapshot.js';
import { isSameAnswer, mergeKept } from './merge-kept.js';
import {
  mergedConsents,
  nameChange,
  readKeptConsents,
  restoreClient,
  type RestoreOptions,
} from './restore-workspace.js';
import { SourceState } from './source-state.js';
import { Counters, type Stats } from './asking/stats.js';
import type { WorkspaceSetup } from './workspace-setup.js';
import { fencedScope, plainScope, SnapshotView, type WorkspaceView } from './workspace-view.js';

/**
 * The live answer to "which directories may I touch?": holds the current snapshot, refreshes it and announces changes.
 * One per connection, or per request where nothing is remembered between requests.
 *
 * @example
 * ```ts
 * import { readSources, Workspace } from '@rootward/core';
 * import { homedir } from 'node:os';
 *
 * const sources = await readSources({ environment: process.env, home: homedir() });
 * using workspace = new Workspace({ sources });
 * workspace.onDidChange(({ added, removed }) => console.log(added, removed));
 * workspace.clientDeclared({ roots: false });
 * console.log((await workspace.ready()).roots);
 * ```
 */
export class Workspace implements WorkspaceView, Disposable {
  readonly #sources: SourceState;
  readonly #createScope: (snapshot: Snapshot) => Scope;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limits: WorkspaceLimits;
  readonly #asker: Asker;
  readonly #counters = new Counters();
  readonly #project = new ProjectMemory();
  #snapshot: Snapshot;
  /** The current snapshot as a promise, made once, so that a cached `ready()` costs next to nothing. */
  #ready: Promise<Snapshot> | undefined;
  #scope: Scope | undefined;
  /** The view of calls that name no directory of their own, made once per snapshot. */
  #view: WorkspaceView | undefined;
  #announcer: Announcer | undefined;
  /** As in `KeptWorkspace`. */
  #change: string | undefined;
  #outdated = false;
  readonly #limited: Disposable | undefined;
  #disposed = false;

  constructor(options: WorkspaceSetup) {
    const from = options.from && inputOf(options.from);
    this.#limits = readLimits(options.limits);
    this.#sources = new SourceState(options.sources, from);
    this.#createScope = options.createScope ?? plainScope;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLogger;
    const readClientRoots = options.readClientRoots ?? readRoots;
    const setup = {
      clock: this.#clock,
      log: this.#log,
      limits: this.#limits,
      port: options.port,
      counters: this.#counters,
    };
    this.#asker = new Asker(
      setup,
      {
        read: (entries, signal) =>
          readClientRoots(entries, { ...this.#sources.reading, source: 'client', signal }),
        applied: (list, disputed) => {
          this.#sources.takeAnswer(list, disputed);
          this.#outdated &&= this.#asker.isAsking;
          this.#replace('answer');
        },
        failed: () => {
          this.#outdated &&= this.#asker.isAsking;
        },
        clientChanged: () => void this.#retake(),
      },
      from === undefined ? firstState(options.sources) : settledState(from.client),
    );
    this.#snapshot = takeSnapshot(this.#input(), this.#clock.now(), () => 0);
    this.#project.note(this.#snapshot);
    this.#limited = options.sources.limits?.onDidChange(() => this.#replace('operator'));
  }

  /** What is known now. Never waits. */
  snapshot(): Snapshot {
    return this.#snapshot;
  }

  /**
   * The snapshot to work with. Asks the client if that is due, and waits up to `readyTimeout` for its answer. Without
   * an answer, returns what is known.
   */
  ready(options: WaitOptions = NO_OPTIONS): Promise<Snapshot> {
    if (!this.#isFresh(options.signal)) return this.#askOrWait(options);
    this.#counters.hits += 1;
    this.#ready ??= Promise.resolve(this.#snapshot);
    return this.#ready;
  }

  /** Marks what the client said as stale: the next `ready()` asks again. */
  invalidate(reason: string): void {
    this.#log.debug('roots invalidated', { reason });
    this.#asker.dispatch({ type: 'invalidated' });
  }

  /** File access over the current snapshot. */
  scope(): Scope {
    this.#scope ??= fencedScope(this.#createScope, this.#snapshot);
    return this.#scope;
  }

  /** The project the work is about; throws with an instruction when there is none. */
  project(): Project {
    return this.#project.project(this.#snapshot);
  }

  /** The first directory root. */
  directory(): string | undefined {
    return primaryDirectory(this.#snapshot);
  }

  /** The listener gets every change of the roots, in order, when it happens. */
  onDidChange(listener: ChangeListener): Disposable {
    return this.#announcing().listen(listener);
  }

  /** The listener gets every project that someone switches to. A change of the roots may change the project, too. */
  onDidChooseProject(listener: ProjectListener): Disposable {
    return this.#announcing().listenToChoices(listener);
  }

  /** Adds a listener that may be slow. Its first change has all current roots as added. */
  follow(follower: Follower): Disposable {
    this.#requireAlive('follow');
    return this.#announcing().follow(follower, this.#snapshot);
  }

  /** Resolves when the followers have seen every change so far, except followers that are late. */
  async followed(signal?: AbortSignal): Promise<void> {
    if (this.#announcer !== undefined) await unlessAborted(this.#announcer.followed(), signal);
  }

  /** What was counted so far. */
  stats(): Stats {
    return this.#counters.stats();
  }

  /** Where the roots come from and why, for people. Holds paths. */
  explain(): string {
    return explainSnapshot(this.#snapshot);
  }

  /** The client introduced itself. */
  clientDeclared({ roots, listChanged = false, clientInfo }: ClientDeclaration): void {
    this.#sources.introduce(clientInfo, roots);
    this.#log.debug(roots ? 'client supports roots' : 'client does not support roots', {
      listChanged,
      client: clientInfo?.name,
    });
    if (!this.#sources.ignoresClient) this.#asker.dispatch({ type: 'declared', roots });
    this.#retake();
  }

  /** The client can be asked from now on. It is asked at once if there is a port. */
  clientReady(): void {
    this.#asker.dispatch({ type: 'initialised' });
  }

  /** The client says that its roots changed. */
  rootsChanged(): void {
    this.#counters.received += 1;
    this.#change = nameChange();
    this.#outdated = true;
    this.#log.debug('roots change notification received');
    this.#asker.dispatch({ type: 'notified' });
  }

  /**
   * What `grant` would add, without adding it, so that the user can be asked about the place a path really leads to.
   */
  async consider(path: string, signal?: AbortSignal): Promise<Root> {
    const root = await this.#sources.consider(path, signal);
    const input = this.#input();
    return asDecided(root, decide({ ...input, consents: [...input.consents, root] }));
  }

  /**
   * Adds a place the user agreed to, until this workspace ends or the client takes it away. Rejects outside the
   * ceiling, if the operator switched client roots off, and if what was considered leads somewhere else now.
   */
  async grant(place: string | Root, signal?: AbortSignal): Promise<Root> {
    this.#requireAlive('add a root');
    const consent = await this.#sources.readConsent(place, signal);
    this.#requireAlive('add a root');
    this.#sources.takeConsent(consent);
    this.#replace('consent');
    return asDecided(consent.root, this.#snapshot);
  }

  /** Makes a root the project, as long as that root exists, or a name without a root. */
  chooseProject(choice: { readonly root: Root } | { readonly name: string }): Project {
    this.#view = undefined;
    const project = this.#project.choose(choice, this.#snapshot);
    this.#announcer?.announceChoice(project);
    return project;
  }

  /**
   * What one call sees, even if the roots change while it runs. Its metadata may name a directory, which counts if the
   * client gave none. The workspace and its followers do not change.
   */
  async forRequest(meta: unknown, options: WaitOptions = NO_OPTIONS): Promise<WorkspaceView> {
    const hints = this.#sources.ignoresClient ? undefined : readRequestHints(meta);
    const base = await this.ready(options);
    if (hints === undefined) return this.#plainView(base);
    const request = await this.#sources.readRequest(hints, options.signal);
    const { epoch } = this.#snapshot;
    return this.#viewOf(takeSnapshot(this.#input(request), this.#clock.now(), () => epoch));
  }

  /** The same without waiting; undefined if the client must be asked first, or if the call names a directory. */
  forRequestNow(meta: unknown, signal?: AbortSignal): WorkspaceView | undefined {
    if (!this.#isFresh(signal) || (!this.#sources.ignoresClient && readRequestHints(meta) !== undefined)) {
      return undefined;
    }
    this.#counters.hits += 1;
    return this.#plainView(this.#snapshot);
  }

  /** What another process needs to continue with this workspace. */
  keep(): KeptWorkspace {
    const said = { change: this.#change, outdated: this.#outdated };
    return keepWorkspace(this.#asker.client, this.#sources.keep(), this.#project.choice, said);
  }

  /** Continues with what was kept, as far as it is still valid and inside the ceiling. Nobody is asked. */
  async restore(kept: KeptWorkspace, { signal, since }: RestoreOptions = {}): Promise<void> {
    this.#requireAlive('restore');
    // Looked up first: what the client says meanwhile is part of what was known before.
    const read = kept.consents === undefined ? [] : await readKeptConsents(kept, this.#sources, signal);
    const before = this.keep();
    const { choice } = this.#project;
    const merged = since === undefined ? kept : mergeKept(since, before, kept, nameChange());
    if (!isSameAnswer(merged, before)) await this.#restoreAnswer(merged, signal);
    this.#requireAlive('restore');
    const { consents } = this.#sources;
    this.#sources.replaceConsents(mergedConsents(merged, before, read, consents));
    this.#replace('consent');
    if (this.#project.choice === choice) this.#project.restore(merged.project, this.#snapshot);
    this.#view = undefined;
  }

  /** Counts an operation that was refused, for `stats()`. */
  countRefusal(error: unknown): void {
    if (error instanceof RootwardError) this.#counters.refuse(error.code);
  }

  /**
   * Ends the workspace: it asks nothing any more, releases waiting calls and clears its timers. The last snapshot stays
   * readable.
   */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#asker.dispose();
    this.#limited?.[Symbol.dispose]();
    this.#announcer?.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Whether the current snapshot can be used without asking or waiting. */
  #isFresh(signal: AbortSignal | undefined): boolean {
    const mayAnswer = signal?.aborted !== true && !this.#disposed && !this.#sources.isIncomplete;
    return mayAnswer && this.#clock.now() < this.#asker.restsUntil;
  }

  async #askOrWait(options: WaitOptions): Promise<Snapshot> {
    this.#requireAlive('wait for roots');
    options.signal?.throwIfAborted();
    const { requests } = this.#counters;
    const wait = this.#asker.want(options);
    if (wait === undefined && requests === this.#counters.requests) this.#counters.hits += 1;
    else this.#counters.misses += 1;
    await wait;
    if (this.#sources.isIncomplete) await this.#readAgain(options.signal);
    this.#requireAlive('wait for roots');
    return this.#snapshot;
  }

  /** A root that the operator named may exist by now. */
  async #readAgain(signal: AbortSignal | undefined): Promise<void> {
    await unlessAborted(this.#sources.refresh(), signal);
    if (!this.#disposed) this.#replace('source');
  }

  #requireAlive(action: string): void {
    if (this.#disposed) throw new RootwardError('disposed', `Cannot ${action}: the workspace was disposed`);
  }

  async #restoreAnswer(answer: KeptWorkspace, signal: AbortSignal | undefined): Promise<void> {
    // An answer that is being looked up is dropped, and may be newer.
    const isDropped = this.#asker.isReading;
    const before = this.#change;
    await restoreClient(answer, this.#asker, this.#sources, signal);
    // The client may have said meanwhile that its roots changed.
    if (this.#change !== before) return;
    this.#change = isDropped ? nameChange() : answer.change;
    this.#outdated = isDropped || answer.outdated === true;
    if (this.#outdated) this.#asker.dispatch({ type: 'notified' });
  }

  #announcing(): Announcer {
    this.#announcer ??= new Announcer({
      clock: this.#clock,
      log: this.#log,
      timeout: this.#limits.followerTimeout,
    });
    return this.#announcer;
  }

  /** Takes a new snapshot and announces the change, if there is one. */
  #replace(reason: ChangeReason): void {
    const diff = this.#retake();
    if (!isChange(diff)) return;
    this.#announcer?.announce({ ...diff, reason, snapshot: this.#snapshot });
  }

  #retake(): RootsDiff {
    const { epoch, roots } = this.#snapshot;
    let diff = NO_CHANGE;
    this.#snapshot = takeSnapshot(this.#input(), this.#clock.now(), (after) => {
      if (after !== roots) diff = diffRoots(roots, after);
      return isChange(diff) ? epoch + 1 : epoch;
    });
    this.#ready = undefined;
    this.#scope = undefined;
    this.#view = undefined;
    this.#project.note(this.#snapshot);
    return diff;
  }

  #input(request?: SourceReading): SnapshotInput {
    const { client: state, lost } = this.#asker;
    return this.#sources.input({ state, lost, readyTimeout: this.#limits.readyTimeout }, request);
  }

  #plainView(snapshot: Snapshot): WorkspaceView {
    if (snapshot !== this.#snapshot) return this.#viewOf(snapshot);
    this.#view ??= this.#viewOf(snapshot);
    return this.#view;
  }

  #viewOf(snapshot: Snapshot): WorkspaceView {
    const createScope = (): Scope =>
      snapshot === this.#snapshot ? this.scope() : this.#createScope(snapshot);
    return new SnapshotView(snapshot, createScope, () => this.#project.project(snapshot));
  }
}

const NO_ROOTS: readonly Root[] = Object.freeze([]);
const NO_OPTIONS: WaitOptions = Object.freeze({});

const NO_CHANGE: RootsDiff = Object.freeze({ added: NO_ROOTS, removed: NO_ROOTS, primaryChanged: false });
