import type { Disposable } from '../disposable.js';
import { RootwardError } from '../error.js';
import type { Logger } from '../logger.js';
import { silentLogger } from '../logger.js';
import { ProjectMemory } from '../project/project-memory.js';
import type { Project } from '../project/project.js';
import type { PathEntry } from '../roots/declaration.js';
import type { RootsDiff } from '../roots/diff-roots.js';
import { diffRoots, isChange } from '../roots/diff-roots.js';
import { readRoots } from '../roots/read-roots.js';
import type { Root, RootList } from '../roots/root.js';
import { Scope } from '../scope/scope.js';
import type { ClientDeclaration, ClientInfo } from '../sources/client-state.js';
import type { ClientRoots } from '../sources/client.js';
import { acceptAnswer, noClientRoots } from '../sources/client.js';
import { considerConsent, requireSamePlace, surviving } from '../sources/consent.js';
import { noHandle, readHandle } from '../sources/handle.js';
import type { Said } from '../sources/precedence.js';
import type { Sources } from '../sources/read-sources.js';
import { noRequest, readRequest, readRequestHints } from '../sources/request.js';
import type { Statement } from '../sources/root-source.js';
import { hostPathStyle } from '../uri/path-style.js';
import { printable } from '../uri/printable.js';
import type { Answer } from './answer.js';
import { readAnswer } from './answer.js';
import type { WaitOptions } from './asker.js';
import { Asker } from './asker.js';
import { ignoringClient, initialAsking } from './asking-state.js';
import type { ChangeReason, WorkspaceChange } from './change.js';
import type { Clock } from './clock.js';
import { systemClock } from './clock.js';
import { unlessAborted } from './deferred.js';
import { explainSnapshot } from './explain.js';
import type { Follower } from './followers.js';
import { Followers } from './followers.js';
import type { WorkspaceLimits } from './limits.js';
import { readLimits } from './limits.js';
import type { ChangeListener } from './listeners.js';
import { Listeners } from './listeners.js';
import type { RootsPort } from './roots-port.js';
import type { Snapshot } from './snapshot.js';
import { primaryDirectory, takeSnapshot } from './snapshot.js';
import type { Stats } from './stats.js';
import { Counters } from './stats.js';
import type { WorkspaceView } from './workspace-view.js';
import { SnapshotView } from './workspace-view.js';

export interface WorkspaceOptions {
  /** What `readSources` found; may be shared by any number of workspaces. */
  readonly sources: Sources;
  /** The way to the client, where there is one for the whole connection. Otherwise pass one to `ready()`. */
  readonly port?: RootsPort;
  /** An answer without valid roots leaves operator sources only, even as the first one (each request stands alone). */
  readonly emptyIsFinal?: boolean;
  /** How file access over a snapshot is made; the place for deny rules and protected files. */
  readonly createScope?: (snapshot: Snapshot) => Scope;
  /** Looks up what a client sent; the place for a cache, where the same list comes with every request. */
  readonly readClientRoots?: typeof readRoots;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly limits?: Partial<WorkspaceLimits>;
}

/**
 * The live answer to "which directories may I touch?": holds the current snapshot, refreshes it and announces changes.
 * One per connection, or per request where nothing is remembered between requests.
 */
export class Workspace implements WorkspaceView, Disposable {
  readonly #sources: Sources;
  readonly #emptyIsFinal: boolean;
  readonly #createScope: (snapshot: Snapshot) => Scope;
  readonly #readRoots: typeof readRoots;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limits: WorkspaceLimits;
  readonly #asker: Asker;
  readonly #counters = new Counters();
  readonly #project = new ProjectMemory();
  #info: ClientInfo | undefined;
  #given: ClientRoots = noClientRoots;
  #handle: Statement = noHandle;
  #consents: readonly Root[] = NO_ROOTS;
  #snapshot: Snapshot;
  /** The current snapshot as a promise, made once, so that a cached `ready()` costs next to nothing. */
  #ready: Promise<Snapshot> | undefined;
  #scope: Scope | undefined;
  /** What calls see that brought nothing of their own along, made once per snapshot. */
  #view: WorkspaceView | undefined;
  #listeners: Listeners | undefined;
  #followers: Followers | undefined;
  #disposed = false;

  constructor(options: WorkspaceOptions) {
    this.#limits = readLimits(options.limits);
    this.#sources = options.sources;
    this.#emptyIsFinal = options.emptyIsFinal ?? false;
    this.#createScope = options.createScope ?? plainScope;
    this.#readRoots = options.readClientRoots ?? readRoots;
    this.#clock = options.clock ?? systemClock;
    this.#log = options.log ?? silentLogger;
    const ignores = options.sources.clientRoots === 'ignore';
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
          this.#readRoots(entries, { ...options.sources.reading, source: 'client', signal }),
        applied: (list) => this.#accept(list),
        clientChanged: () => void this.#retake(),
      },
      ignores ? ignoringClient : initialAsking,
    );
    this.#snapshot = takeSnapshot(this.#said(), this.#clock.now(), () => 0);
    this.#project.note(this.#snapshot);
  }

  /** What is known now. Never waits. */
  snapshot(): Snapshot {
    return this.#snapshot;
  }

  /**
   * The snapshot to work with: asks the client where that is due, and waits, bounded by `readyTimeout`, for an answer
   * under way. Goes on with what is known when none comes.
   */
  ready(options: WaitOptions = NO_OPTIONS): Promise<Snapshot> {
    if (this.#clock.now() < this.#asker.restsUntil && options.signal?.aborted !== true && !this.#disposed) {
      this.#counters.hits += 1;
      this.#ready ??= Promise.resolve(this.#snapshot);
      return this.#ready;
    }
    return this.#askOrWait(options);
  }

  /** Marks what the client said as stale: the next `ready()` asks again. */
  invalidate(reason: string): void {
    this.#log.debug('roots invalidated', { reason });
    this.#asker.dispatch({ type: 'invalidated' });
  }

  /** File access over the current snapshot. */
  scope(): Scope {
    this.#scope ??= this.#createScope(this.#snapshot);
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

  /** Told of every change of the roots, in order, at the moment it happens. */
  onDidChange(listener: ChangeListener): Disposable {
    this.#listeners ??= new Listeners(this.#log);
    return this.#listeners.add(listener);
  }

  /** Like a listener that may take its time. Sees the roots that are there already first, as added. */
  follow(follower: Follower): Disposable {
    this.#requireAlive('follow');
    this.#followers ??= new Followers({
      clock: this.#clock,
      log: this.#log,
      timeout: this.#limits.followerTimeout,
    });
    const snapshot = this.#snapshot;
    const first: WorkspaceChange | undefined =
      snapshot.roots.length === 0
        ? undefined
        : { ...diffRoots(NO_ROOTS, snapshot.roots), reason: 'start', snapshot };
    return this.#followers.add(follower, first);
  }

  /** When the followers have seen every change so far, except those that are late. */
  async followed(signal?: AbortSignal): Promise<void> {
    if (this.#followers !== undefined) await unlessAborted(this.#followers.idle(), signal);
  }

  stats(): Stats {
    return this.#counters.stats();
  }

  /** Where the roots come from and why, for people. Holds paths. */
  explain(): string {
    return explainSnapshot(this.#snapshot);
  }

  /** The client introduced itself. */
  clientDeclared({ roots, listChanged = false, clientInfo }: ClientDeclaration): void {
    this.#info = clientInfo;
    this.#log.debug(roots ? 'client supports roots' : 'client does not support roots', {
      listChanged,
      client: clientInfo?.name,
    });
    if (this.#sources.clientRoots !== 'ignore') this.#asker.dispatch({ type: 'declared', roots });
    this.#retake();
  }

  /** The client is ready to be asked, and is asked at once where there is a port. */
  clientReady(): void {
    this.#asker.dispatch({ type: 'initialised' });
  }

  /** The client says that its roots changed. */
  rootsChanged(): void {
    this.#counters.received += 1;
    this.#log.debug('roots change notification received');
    this.#asker.dispatch({ type: 'notified' });
  }

  /** Takes an answer that came another way than through a port. Newer than anything asked before. */
  async useAnswer(answer: Answer, signal?: AbortSignal): Promise<Snapshot> {
    this.#requireAlive('use an answer');
    signal?.throwIfAborted();
    this.#asker.dispatch({ type: 'handed', outcome: readAnswer(answer) });
    await this.#asker.want(signal === undefined ? NO_OPTIONS : { signal });
    return this.#snapshot;
  }

  /** Takes the roots of a handle, which outrank everything else. Rejects when none of them is valid any more. */
  async useHandle(entries: readonly PathEntry[], signal?: AbortSignal): Promise<Snapshot> {
    this.#requireAlive('use a handle');
    if (this.#sources.clientRoots !== 'ignore') {
      const handle = await readHandle(entries, { ...this.#sources.reading, ...(signal && { signal }) });
      this.#requireAlive('use a handle');
      this.#handle = handle;
      this.#project.forget();
      this.#replace('handle');
    }
    return this.#snapshot;
  }

  /** What `grant` would add, without adding it: so that the user is asked about where a path really leads. */
  consider(path: string, signal?: AbortSignal): Promise<Root> {
    return considerConsent(path, this.#sources, signal);
  }

  /**
   * Adds a place the user agreed to, for as long as this workspace lives or until the client takes it away. Rejects
   * beyond the ceiling, where whoever runs the server lets clients have no say, and where what was considered leads
   * somewhere else by now.
   */
  async grant(place: string | Root, signal?: AbortSignal): Promise<Root> {
    this.#requireAlive('add a root');
    const before = this.#given;
    const path = typeof place === 'string' ? place : place.path;
    const root = await considerConsent(path, this.#sources, signal);
    if (typeof place !== 'string') requireSamePlace(place, root);
    this.#requireAlive('add a root');
    // The user agreed before the client took it away, and the later word counts.
    if (this.#surviving([root], before).length === 0) {
      throw new RootwardError(
        'not-permitted',
        `Cannot add "${printable(path)}": the client took it away meanwhile`,
        { path },
      );
    }
    if (!this.#consents.some((consent) => consent.path === root.path))
      this.#consents = [...this.#consents, root];
    this.#replace('consent');
    return root;
  }

  /** Makes a root or a mere name the project, as long as that root remains. */
  chooseProject(choice: { readonly root: Root } | { readonly name: string }): Project {
    this.#view = undefined;
    return this.#project.choose(choice, this.#snapshot);
  }

  /**
   * What one call sees, from now on and whatever changes meanwhile: its metadata may name a directory of its own, where
   * the client gave none. The workspace and its followers are left alone.
   */
  async forRequest(meta: unknown, options: WaitOptions = NO_OPTIONS): Promise<WorkspaceView> {
    const hints = this.#sources.clientRoots === 'ignore' ? undefined : readRequestHints(meta);
    const base = await this.ready(options);
    if (hints === undefined) return this.#plainView(base);
    const request = await readRequest(hints, {
      ...this.#sources.reading,
      ...(options.signal && { signal: options.signal }),
    });
    const current = this.#snapshot;
    return this.#viewOf(takeSnapshot({ ...this.#said(), request }, this.#clock.now(), () => current.epoch));
  }

  /** Counts an operation that was refused, for `stats()`. */
  countRefusal(error: unknown): void {
    if (error instanceof RootwardError) this.#counters.refuse(error.code);
  }

  /** Ends it: nothing is asked any more, whoever waits is let go, no timer is left. The last snapshot stays readable. */
  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#asker.dispose();
    this.#listeners?.clear();
    this.#followers?.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  async #askOrWait(options: WaitOptions): Promise<Snapshot> {
    this.#requireAlive('wait for roots');
    options.signal?.throwIfAborted();
    const { requests } = this.#counters;
    const wait = this.#asker.want(options);
    if (wait === undefined && requests === this.#counters.requests) this.#counters.hits += 1;
    else this.#counters.misses += 1;
    await wait;
    this.#requireAlive('wait for roots');
    return this.#snapshot;
  }

  #requireAlive(action: string): void {
    if (this.#disposed) throw new RootwardError('disposed', `Cannot ${action}: the workspace was disposed`);
  }

  #accept(list: RootList): void {
    const before = this.#given;
    this.#given = acceptAnswer(before, list, this.#emptyIsFinal);
    this.#consents = this.#surviving(this.#consents, before);
    this.#replace('answer');
  }

  /** The consents that survive what the client said since `before`. */
  #surviving(consents: readonly Root[], before: ClientRoots): readonly Root[] {
    const given = this.#given;
    if (given === before) return consents;
    if (given.revoked) return NO_ROOTS;
    const style = this.#sources.reading.style ?? hostPathStyle;
    return surviving(consents, diffRoots(before.roots, given.roots).removed, style);
  }

  /** The roots may be others now. */
  #replace(reason: ChangeReason): void {
    const diff = this.#retake();
    if (!isChange(diff)) return;
    const change: WorkspaceChange = { ...diff, reason, snapshot: this.#snapshot };
    this.#listeners?.fire(change);
    this.#followers?.announce(change);
  }

  #retake(): RootsDiff {
    const { epoch, roots } = this.#snapshot;
    let diff = NO_CHANGE;
    this.#snapshot = takeSnapshot(this.#said(), this.#clock.now(), (after) => {
      if (after !== roots) diff = diffRoots(roots, after);
      return isChange(diff) ? epoch + 1 : epoch;
    });
    this.#ready = undefined;
    this.#scope = undefined;
    this.#view = undefined;
    this.#project.note(this.#snapshot);
    return diff;
  }

  #said(): Said {
    const client = {
      state: this.#asker.client,
      info: this.#info,
      given: this.#given,
      readyTimeout: this.#limits.readyTimeout,
    };
    return {
      sources: this.#sources,
      client,
      handle: this.#handle,
      request: noRequest,
      consents: this.#consents,
    };
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

function plainScope(snapshot: Snapshot): Scope {
  return new Scope({ roots: snapshot.roots });
}

const NO_CHANGE: RootsDiff = Object.freeze({ added: NO_ROOTS, removed: NO_ROOTS, primaryChanged: false });
