import { basename } from 'node:path';
import { containsPath, hostPathStyle, Scope, systemClock } from '@rootward/core';
import type { Clock, Logger, Root } from '@rootward/core';
import { silentLogger, within } from '@rootward/core/platform';
import { WordsOfFiles } from '../documents/words-of-files.js';
import { RootwardLspError } from '../error.js';
import { concealErrors } from '../filter/conceal-errors.js';
import { concealPaths } from '../filter/conceal-paths.js';
import { languageIdOf, type FolderKind, type ServerDefinition } from '../servers/definition.js';
import type { ServerFinding } from '../servers/find-server.js';
import { Findings } from '../servers/findings.js';
import { knownServers } from '../servers/known-servers.js';
import { languageName } from '../servers/script-name.js';
import type { FollowedRoots, LanguageServersOptions, Waiting } from './options.js';
import { readPoolLimits, type PoolLimits } from './limits.js';
import { projectFolder, type KnownFolders } from './project-folder.js';
import { foldersOf, type RootsChange } from './follow-roots.js';
import { ServerBudget } from './server-budget.js';
import type { ServedFolder, ServerInstance } from './server-instance.js';
import { ServerSlot, type Lease } from './server-slot.js';
import { Successors } from './successors.js';
import { Starting } from './starting.js';
import { statusOf, type ServerStatus } from './server-status.js';

/** The one key of a server that serves every folder. */
const EVERYWHERE = '';

/** The language servers of one set of roots, started when needed, following the roots as they change. */
export class LanguageServers {
  readonly servers: readonly ServerDefinition[];
  readonly limits: PoolLimits;
  readonly clock: Clock;
  /** Words that the files of the roots have, for questions that look for one. */
  readonly words: WordsOfFiles = new WordsOfFiles();
  readonly #workspace: FollowedRoots;
  readonly #findings: Findings;
  readonly #budget: ServerBudget;
  readonly #log: Logger;
  readonly #following: { dispose(): void } | undefined;
  readonly #slots = new Map<string, ServerSlot>();
  readonly #successors: Successors;
  /** How servers treat folders, learned from those that were not measured before. */
  readonly #kinds = new Map<string, FolderKind>();
  readonly #deciding = new Map<string, Promise<unknown>>();
  readonly #starting: Starting;
  #disposed = false;

  constructor(workspace: FollowedRoots, options: LanguageServersOptions = {}) {
    this.#workspace = workspace;
    this.servers = options.servers ?? knownServers;
    this.limits = readPoolLimits(options.limits);
    this.#successors = new Successors(this.limits);
    this.clock = options.clock ?? systemClock;
    const environment = options.environment ?? process.env;
    const roots = (): readonly Root[] => this.#roots;
    this.#findings = new Findings(environment, options.trustWorkspaceServers ?? false, roots);
    this.#budget = options.budget ?? new ServerBudget(this.limits.maxServers);
    this.#log = options.log ?? silentLogger;
    this.#starting = new Starting({
      ...options,
      environment,
      roots,
      findings: this.#findings,
      limits: this.limits,
      clock: this.clock,
      log: this.#log,
    });
    this.#following = workspace.onDidChange?.((change) => this.#rootsChanged(change));
  }

  get #roots(): readonly Root[] {
    return this.#workspace.snapshot().roots;
  }

  /**
   * Asks the server for a file, started if need be, which nothing puts aside until it has answered. Rejects with what to
   * install when there is none. The signal ends the wait for its start, of which `progress` is told; it goes on
   * starting, for the next question.
   */
  async ask<Result>(
    scope: Scope,
    file: string,
    ask: (instance: ServerInstance) => Promise<Result>,
    waiting: Waiting = {},
  ): Promise<Result> {
    const definition = await this.definitionFor(await languageName(scope, file));
    return this.#asked(definition, scope, file, ask, waiting);
  }

  async #asked<Result>(
    definition: ServerDefinition,
    scope: Scope,
    file: string,
    ask: (instance: ServerInstance) => Promise<Result>,
    waiting: Waiting,
  ): Promise<Result> {
    const { signal, progress } = waiting;
    // Only a server that knows one folder, or may turn out to, is asked by the project of a file.
    const isOneForAll = (this.kindOf(definition) ?? 'per-root') !== 'per-root';
    const folder = isOneForAll ? undefined : this.folderOf(definition, scope, file);
    await this.#endOutdated(definition, folder, scope, waiting);
    const isRunning = [...this.#slots.values()].some(
      (slot) => slot.definition === definition && slot.state === 'running',
    );
    if (!isRunning) progress?.(`${definition.name} is starting`);
    const starting = this.#running(definition, scope.locate(file).path, folder);
    const { instance, giveBack } = await concealErrors(
      { scope },
      this.#unlessLoading(definition, starting, signal),
    );
    try {
      return await ask(instance);
    } finally {
      giveBack();
    }
  }

  /** A server that keeps an index does not look at files again by itself. */
  async #endOutdated(
    definition: ServerDefinition,
    folder: string | undefined,
    scope: Scope,
    { signal, thorough = false }: Waiting,
  ): Promise<void> {
    if (definition.indexed === undefined) return;
    const slot = this.#slot(definition, folder ?? EVERYWHERE);
    if ((await slot.instance?.isOutdated({ scope, thorough, signal })) === true) void slot.putAside();
  }

  /** Whether a server is known for a file, installed or not. */
  isKnown(scope: Scope, file: string): boolean | Promise<boolean> {
    if (this.candidatesFor(file).length > 0) return true;
    if (basename(file).includes('.')) return false;
    return languageName(scope, file).then((name) => this.candidatesFor(name).length > 0);
  }

  /** The servers known for a kind of file, by its name, the preferred one first. */
  candidatesFor(file: string): readonly ServerDefinition[] {
    return this.servers.filter((definition) => languageIdOf(definition, file) !== undefined);
  }

  /** The folder that a server which knows one folder is started in, for a file; undefined where there is none. */
  folderOf(
    { mixesFolders, markers = [] }: ServerDefinition,
    scope: Scope,
    file: string,
    known?: KnownFolders,
  ): string | undefined {
    // A repository with several packages stays one.
    const { root } = scope.locate(file);
    if (mixesFolders === true && root.kind === 'directory' && !root.broad) return root.path;
    return projectFolder(scope, file, markers, known);
  }

  /** How a server relates to folders, once that is known. */
  kindOf(definition: ServerDefinition): FolderKind | undefined {
    return definition.folders ?? this.#kinds.get(definition.name);
  }

  /** The installed server for a kind of file, by its name, not yet started. */
  async definitionFor(file: string): Promise<ServerDefinition> {
    return this.#findings.firstOf(this.candidatesFor(file), file);
  }

  /** What is installed, whether or not it runs. */
  async installed(): Promise<
    readonly { readonly definition: ServerDefinition; readonly finding: ServerFinding }[]
  > {
    return Promise.all(
      this.servers.map(async (definition) => ({
        definition,
        finding: await this.#findings.find(definition),
      })),
    );
  }

  /** Servers that run, or should and do not. */
  status(): readonly ServerStatus[] {
    return [...this.#slots.values()].flatMap((slot) => statusOf(slot) ?? []);
  }

  /** Whether any server was asked for. */
  get used(): boolean {
    return this.#slots.size > 0;
  }

  /** The name of the server for a file. */
  async nameFor(scope: Scope, file: string): Promise<string> {
    return (await this.definitionFor(await languageName(scope, file))).name;
  }

  /** Ends the servers of that name, or that work in one of the folders; the next question starts them anew. */
  async restart(which: {
    readonly name?: string | undefined;
    readonly folders?: readonly string[] | undefined;
  }): Promise<readonly string[]> {
    const { name, folders } = which;
    const slots = [...this.#slots.values()].filter((slot) => {
      if (name !== undefined) return slot.definition.name === name;
      const touched = [...(slot.instance?.touched ?? [])];
      return (
        folders === undefined || slot.state === 'failed' || touched.some((path) => isBelow(path, folders))
      );
    });
    const ended = slots.filter(({ state }) => state !== 'idle').map(({ definition }) => definition.name);
    await Promise.all(slots.map((slot) => slot.restart()));
    return ended;
  }

  /** Ends every server with its descendants. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#following?.dispose();
    this.#starting.end();
    await Promise.all([...this.#slots.values(), this.#successors].map((each) => each.dispose()));
    await this.#starting.dispose();
  }

  /** The same without asking or waiting, for the last moment of a process. */
  kill(): void {
    this.#disposed = true;
    this.#following?.dispose();
    this.#starting.end();
    for (const each of [...this.#slots.values(), this.#successors]) each.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** A quick answer while a server is starting; the next question finds it further on. */
  async #unlessLoading(
    { name }: ServerDefinition,
    running: Promise<Lease>,
    signal: AbortSignal | undefined,
  ): Promise<Lease> {
    const { startWait } = this.limits;
    let lease: Lease | undefined;
    try {
      if (await within(running, { milliseconds: startWait, clock: this.clock, signal }))
        lease = await running;
    } finally {
      // Nobody is left to use it, or to hear that it failed.
      if (lease === undefined)
        running.then(
          ({ giveBack }) => giveBack(),
          () => undefined,
        );
    }
    if (lease !== undefined) return lease;
    throw new RootwardLspError(
      'loading',
      `Cannot ask ${name} yet: it has been starting for ${startWait / 1000} s`,
      {
        instruction: 'Ask again in a moment. Reading, searching and editing files works meanwhile',
      },
    );
  }

  async #running(definition: ServerDefinition, file: string, folder: string | undefined): Promise<Lease> {
    if (this.#disposed) throw new RootwardLspError('disposed', 'Cannot ask: the servers were shut down');
    const kind = this.kindOf(definition);
    if (kind === undefined) return this.#decide(definition, file, folder);
    const isLost = kind === 'per-root' && folder === undefined && definition.mixesFolders !== true;
    if (isLost && this.#roots.some(({ broad }) => broad)) {
      throw new RootwardLspError(
        'broad-root',
        `Cannot start ${definition.name}: the root is too broad to be looked through and no project was found in it`,
        { instruction: 'Open the folder of the project as a root' },
      );
    }
    const key = kind === 'per-root' ? (folder ?? EVERYWHERE) : EVERYWHERE;
    const slot = await this.#slotFor(definition, key, file);
    const lease = await slot.lease(this.#foldersFor(kind, folder));
    // What was just started may have been given a folder that is gone by now.
    if (lease.instance.broken === undefined && slot.instance === lease.instance) return lease;
    lease.giveBack();
    return (await this.#slotFor(definition, key, file)).lease(this.#foldersFor(kind, folder));
  }

  /** While another is about to take over, it is waited for a little; then the one before has to do, where it can. */
  async #slotFor(definition: ServerDefinition, key: string, file: string): Promise<ServerSlot> {
    const successor = this.#successors.get(keyOf(definition.name, key));
    if (successor === undefined) return this.#slot(definition, key);
    const { instance } = this.#slot(definition, key);
    if (instance !== undefined && !instance.readiness.isOutdated) return this.#slot(definition, key);
    const wait = { clock: this.clock, milliseconds: this.limits.takeOverWait };
    if (await within(successor.settled, wait)) return this.#slot(definition, key);
    const slot = this.#slot(definition, key);
    const isServed = slot.instance?.folders.some(({ path }) => containsPath(path, file, hostPathStyle));
    return isServed === true ? slot : (this.#successors.get(keyOf(definition.name, key))?.slot ?? slot);
  }

  /** Starts a server nobody has measured in one folder, and keeps what it then says about folders. */
  async #decide(definition: ServerDefinition, file: string, folder: string | undefined): Promise<Lease> {
    const { name } = definition;
    let deciding = this.#deciding.get(name);
    if (deciding === undefined) {
      deciding = this.#learnKind(definition, folder);
      this.#deciding.set(name, deciding);
    }
    try {
      await deciding;
    } finally {
      this.#deciding.delete(name);
    }
    return this.#running(definition, file, folder);
  }

  async #learnKind(definition: ServerDefinition, folder: string | undefined): Promise<void> {
    const { name } = definition;
    const key = folder ?? EVERYWHERE;
    const slot = this.#slot(definition, key);
    const instance = await slot.use(this.#foldersFor('per-root', folder));
    const { kind } = instance;
    this.#kinds.set(name, kind);
    if (kind === 'per-root') return;
    if (kind === 'shared') instance.changeFolders(foldersOf(this.#roots), []);
    this.#slots.delete(keyOf(name, key));
    this.#slots.set(keyOf(name, EVERYWHERE), slot);
  }

  #foldersFor(kind: FolderKind, folder: string | undefined): readonly ServedFolder[] {
    if (kind !== 'per-root') return foldersOf(this.#roots);
    if (folder === undefined) return [];
    const root = this.#roots.find(({ path }) => path === folder);
    return [{ path: folder, name: root?.name ?? basename(folder) }];
  }

  #slot(definition: ServerDefinition, key: string): ServerSlot {
    const name = keyOf(definition.name, key);
    let slot = this.#slots.get(name);
    if (slot === undefined) {
      slot = this.#newSlot(definition);
      this.#slots.set(name, slot);
    }
    return slot;
  }

  #newSlot(definition: ServerDefinition): ServerSlot {
    const slot: ServerSlot = new ServerSlot({
      definition,
      start: (folders) => this.#starting.start(definition, folders, slot),
      limits: this.limits,
      budget: this.#budget,
      clock: this.clock,
      log: this.#log,
      conceal: (text) => concealPaths(new Scope({ roots: this.#roots }), text),
    });
    return slot;
  }

  #rootsChanged(change: RootsChange): void {
    this.#findings.forget();
    for (const [key, slot] of this.#slots) {
      const fate = slot.follow(change, this.#roots);
      if (fate === 'ends') this.#successors.abandon(key);
      if (fate !== 'is replaced') continue;
      const slots = { before: slot, next: this.#newSlot(slot.definition) };
      const folders = this.#foldersFor('shared', undefined);
      this.#successors.start(key, slots, folders, (next) => this.#slots.set(key, next));
    }
  }
}

/** One of two paths contains the other: a server may work in a part of a folder, or around it. */
function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some(
    (folder) => containsPath(folder, path, hostPathStyle) || containsPath(path, folder, hostPathStyle),
  );
}

function keyOf(name: string, folder: string): string {
  return `${name}\n${folder}`;
}
