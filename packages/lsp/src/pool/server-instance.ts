import type { Clock, Logger, Root, Scope } from '@rootward/core';
import { containsPath, fileUriToPath, hostPathStyle, pathToFileUri } from '@rootward/core';
import { Deferred, unlessAborted, within } from '@rootward/core/platform';
import type { FileEvent, ServerCapabilities, WorkspaceFolder } from 'vscode-languageserver-protocol';
import { announcesFolders, decideKind, FOLDERS_METHOD } from '../connection/folder-kind.js';
import { initializeParams } from '../connection/initialize-params.js';
import { Registrations } from '../connection/registrations.js';
import type { RequestMethod, Requests } from '../connection/requests.js';
import { serveClientSide } from '../connection/serve-client-side.js';
import { ServerConnection } from '../connection/server-connection.js';
import { RootwardLspError } from '../error.js';
import { DocumentFacts } from '../documents/document-facts.js';
import { Documents, type OpenDocument } from '../documents/documents.js';
import { SchemaReferences } from '../documents/schema-references.js';
import { unshownBecause, type Unshown } from '../documents/unshown.js';
import { WATCH_METHOD } from '../documents/watch-patterns.js';
import { CHANGED, WatchedFiles } from '../documents/watched-files.js';
import type { View } from '../connection/server-sandbox.js';
import type { ServerProcess } from '../connection/spawn-server.js';
import type { PreparedIndex } from '../projects/prepared-index.js';
import { HeaderCommands } from '../servers/c-headers.js';
import { languageIdOf, type FolderKind, type ServerDefinition } from '../servers/definition.js';
import { languageName } from '../servers/script-name.js';
import type { PoolLimits } from './limits.js';
import { PublishedDiagnostics, type PublishedFindings } from './published-diagnostics.js';
import { Readiness } from './readiness.js';

/** A folder a server works in. */
export interface ServedFolder {
  readonly path: string;
  readonly name: string;
}

export interface InstanceOptions {
  readonly definition: ServerDefinition;
  readonly process: ServerProcess;
  readonly folders: readonly ServedFolder[];
  readonly initializationOptions: unknown;
  readonly limits: PoolLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly changesMade?: (() => number) | undefined;
  /** The index that was prepared for it; undefined for a server without one. */
  readonly index?: PreparedIndex | undefined;
}

/** Files to open. */
export interface DocumentsRequest {
  readonly scope: Scope;
  /** In the order in which they are passed on. */
  readonly paths: readonly string[];
  /** Further files, passed on after those. A file that cannot be opened is reported instead, unless it was removed since. */
  readonly further?: readonly string[];
  readonly signal?: AbortSignal | undefined;
  readonly thorough?: boolean;
  /** The same question has compared with the disk before. */
  readonly isSynced?: boolean;
}

/** One running server: its connection, its folders, its documents. */
export class ServerInstance {
  readonly definition: ServerDefinition;
  readonly process: ServerProcess;
  readonly readiness: Readiness;
  readonly startedAt: number;
  readonly facts: DocumentFacts = new DocumentFacts();
  readonly published: PublishedDiagnostics;
  /** Called when its last question has been answered. */
  onDidIdle: () => void = () => undefined;
  readonly index: PreparedIndex | undefined;
  readonly #connection: ServerConnection;
  readonly #documents: Documents;
  readonly #watched: WatchedFiles;
  readonly #schemas = new SchemaReferences();
  readonly #headers: HeaderCommands | undefined;
  /** Of the latest question: what a server asks for in between is read through it. */
  #scope: Scope | undefined;
  readonly #limits: PoolLimits;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #registrations = new Registrations();
  /** Folders it was started with, was told of or has opened a file of; what it may remember. */
  readonly #touched = new Set<string>();
  #folders: readonly ServedFolder[];
  #capabilities: ServerCapabilities = {};
  #kind: FolderKind = 'per-root';
  #busy = 0;
  #idle = new Deferred();
  #stopping = false;
  #syncing: Promise<void> = Promise.resolve();
  /** A file that it has read and was not shown has changed since. */
  #outdated = false;

  /** What its sandbox lets it see, beside what these roots cover. Without one, following them is up to the server. */
  sees(roots: readonly Root[]): View {
    return this.process.sandbox?.sees(roots) ?? 'the same';
  }

  /** Connects a process and shakes hands. Ends the process when that fails. */
  static async start(options: InstanceOptions): Promise<ServerInstance> {
    const instance = new ServerInstance(options);
    try {
      await instance.#initialize(options.initializationOptions);
      return instance;
    } catch (error) {
      options.process.kill();
      if (!(error instanceof RootwardLspError) || error.code !== 'crashed') throw error;
      const message = error.message + options.process.lastWords();
      throw new RootwardLspError('crashed', message, { cause: error });
    }
  }

  private constructor({
    definition,
    process,
    folders,
    limits,
    clock,
    log,
    changesMade,
    index,
  }: InstanceOptions) {
    this.definition = definition;
    this.process = process;
    this.index = index;
    this.readiness = new Readiness(clock, definition.ready, index !== undefined);
    this.startedAt = clock.now();
    this.#limits = limits;
    this.#clock = clock;
    this.#log = log;
    this.#folders = folders;
    for (const folder of folders) this.#touched.add(folder.path);
    this.#connection = new ServerConnection(definition.name, process, clock);
    this.published = new PublishedDiagnostics(clock, (path) => this.#documents.has(path), definition);
    this.#documents = new Documents(this.#connection, {
      changed: (path) => this.published.forget(path),
      ...(definition.readsOnlyItself === true && {
        shownAs: (scope, path, text) => this.#schemas.mask(scope, path, text),
      }),
    });
    this.#watched = new WatchedFiles({ clock, changesMade, tooMany: (root) => this.#warnUnwatched(root) });
    if (definition.included !== undefined) this.#watched.watch(definition.included);
    if (index !== undefined && definition.indexed !== undefined) this.#watched.watch(definition.indexed);
    if (definition.headersOfC === true) this.#headers = new HeaderCommands(definition.markers ?? []);
    serveClientSide(this.#connection.wire, {
      folders: () => this.#folders.map(toWire),
      settings: definition.settings ?? {},
      registered: (registration) => {
        this.#registrations.add(registration);
        if (registration.method === WATCH_METHOD) this.#watched.register(registration);
      },
      unregistered: ({ id }) => {
        this.#registrations.remove({ id });
        this.#watched.unregister({ id });
      },
      logged: (message) => this.readiness.logged(message),
      diagnosed: (params) => this.published.take(params),
      schema: (uri) => this.#schemas.read(this.#scope, uri),
      progressed: (token, ended, title) => this.readiness.progressed(token, ended, title),
    });
  }

  get kind(): FolderKind {
    return this.#kind;
  }

  get folders(): readonly ServedFolder[] {
    return this.#folders;
  }

  get capabilities(): ServerCapabilities {
    return this.#capabilities;
  }

  /** Whether it answers when it is asked what is wrong in a document; it may say so after the handshake. */
  get answersDiagnostics(): boolean {
    const { diagnosticProvider } = this.#capabilities;
    return diagnosticProvider !== undefined || this.#registrations.has('textDocument/diagnostic');
  }

  get touched(): ReadonlySet<string> {
    return this.#touched;
  }

  /** Every file that it was ever shown. */
  get shown(): Iterable<string> {
    return this.#documents.shown;
  }

  get busy(): boolean {
    return this.#busy > 0;
  }

  /** Why it ended, when it did so unasked. */
  get broken(): string | undefined {
    return this.#stopping ? undefined : this.#connection.broken;
  }

  /** Tells a server that follows folders what came and what went, in one message; says nothing when that is nothing. */
  changeFolders(came: readonly ServedFolder[], went: readonly ServedFolder[]): void {
    const isIn = (folders: readonly ServedFolder[]) => (folder: ServedFolder) =>
      folders.some(({ path }) => path === folder.path);
    // A root whose access changed went and came in one step, and the folder is the same.
    const added = came.filter((folder) => !isIn(went)(folder) && !isIn(this.#folders)(folder));
    const removed = went.filter((folder) => !isIn(came)(folder) && isIn(this.#folders)(folder));
    if (added.length === 0 && removed.length === 0) return;
    this.#folders = [...this.#folders.filter((folder) => !isIn(removed)(folder)), ...added];
    for (const { path } of removed) this.#touched.delete(path);
    for (const { path } of added) this.#touched.add(path);
    this.readiness.forgive(removed.length);
    this.readiness.expect(added.length);
    this.#connection.notify(FOLDERS_METHOD, {
      event: { added: added.map(toWire), removed: removed.map(toWire) },
    });
  }

  /** The language identifier of a file. */
  async languageOf(scope: Scope, path: string): Promise<string> {
    return languageIdOf(this.definition, await languageName(scope, path)) ?? 'plaintext';
  }

  /** Whether the server was shown a file, and does not go by the disk. */
  hasOpen(path: string): boolean {
    return this.#documents.has(path);
  }

  /** Whether it keeps an index, and files that are not open have changed since it read them. */
  async isOutdated({
    scope,
    thorough,
    signal,
  }: {
    readonly scope: Scope;
    readonly thorough: boolean;
    readonly signal: AbortSignal | undefined;
  }): Promise<boolean> {
    if (this.index === undefined) return false;
    await this.#syncWithDisk(scope, thorough, signal);
    return this.#outdated;
  }

  /** Whether it knows the files of its folders without being shown them. */
  get knowsFiles(): boolean {
    return this.definition.indexed === undefined ? this.#kind !== 'file-driven' : this.index !== undefined;
  }

  /** Closes the documents that are no longer meant. */
  closeUnless(meant: (path: string) => boolean): void {
    for (const path of this.#documents.paths) if (!meant(path)) this.#documents.close(path);
  }

  /**
   * Runs what needs these files open, with the server's view of the disk brought up to date first. An answer that is to
   * be complete needs a thorough comparison, however long it takes.
   */
  async withDocuments<Result>(
    { scope, paths, further = [], signal, thorough = false, isSynced = false }: DocumentsRequest,
    use: (documents: readonly OpenDocument[], unshown: readonly Unshown[]) => Promise<Result>,
  ): Promise<Result> {
    this.#scope = scope;
    return this.whileBusy(async () => {
      if (!isSynced) await this.#syncWithDisk(scope, thorough, signal);
      const held: OpenDocument[] = [];
      const unshown: Unshown[] = [];
      try {
        for (const path of paths) held.push(await this.#hold(scope, path, signal));
        for (const path of further) {
          try {
            held.push(await this.#hold(scope, path, signal));
          } catch (error) {
            signal?.throwIfAborted();
            const because = unshownBecause(path, error);
            if (because !== undefined) unshown.push(because);
          }
        }
        return await use(held, unshown);
      } finally {
        for (const { path } of held) this.#documents.release(path);
      }
    });
  }

  async #hold(scope: Scope, path: string, signal: AbortSignal | undefined): Promise<OpenDocument> {
    const languageId = await this.languageOf(scope, path);
    await this.#tellOfHeader(scope, path);
    const document = await this.#documents.hold(scope, path, languageId, signal);
    this.#touched.add(scope.locate(path).root.path);
    return document;
  }

  async #tellOfHeader(scope: Scope, path: string): Promise<void> {
    if (this.#documents.has(path)) return;
    const settings = await this.#headers?.settingsFor(scope, path);
    if (settings !== undefined) this.#connection.notify('workspace/didChangeConfiguration', settings);
  }

  /** Reports every relevant change on disk to the server. One caller at a time: each change is reported once. */
  async #syncWithDisk(scope: Scope, thorough: boolean, signal: AbortSignal | undefined): Promise<void> {
    const turn = this.#syncing.then(() => this.#sync(scope, thorough, signal));
    this.#syncing = turn.catch(() => undefined);
    await unlessAborted(turn, signal);
  }

  async #sync(scope: Scope, thorough: boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await this.#documents.sync(scope, signal);
    const folders = this.#folders.map(({ path }) => path);
    const changes = await this.#watched.changes(scope, { thorough, folders, signal });
    if (changes.length === 0) return;
    this.#outdated ||= changes.some(({ uri }) => !this.#documents.has(fileUriToPath(uri)));
    if (this.definition.included !== undefined) this.#documents.closeIdle();
    const looks = this.#foldersToLookAt(changes);
    try {
      // The sign that ends a look already under way would be taken for the sign of the next one.
      if (looks > 0) await this.settle(signal);
    } finally {
      // The comparison is not made again, so the server must learn of it even when the caller has gone.
      this.readiness.expectAgain(looks);
      this.#connection.notify(WATCH_METHOD, { changes });
    }
  }

  /** How many folders a server that gives a sign looks through again, because source files came or went there. */
  #foldersToLookAt(changes: readonly FileEvent[]): number {
    if (this.definition.ready === undefined) return 0;
    const moved = changes
      .filter(({ type, uri }) => type !== CHANGED && languageIdOf(this.definition, uri) !== undefined)
      .map(({ uri }) => fileUriToPath(uri));
    return this.#folders.filter((folder) =>
      moved.some((path) => containsPath(folder.path, path, hostPathStyle)),
    ).length;
  }

  request<Method extends RequestMethod>(
    method: Method,
    params: Requests[Method]['params'],
    signal?: AbortSignal,
  ): Promise<Requests[Method]['result']> {
    return this.whileBusy(() =>
      this.#connection.request(method, params, { signal, timeout: this.#limits.requestTimeout }),
    );
  }

  /** What the server says of its own accord about a document; undefined when it says nothing in time. */
  diagnosticsOf(document: OpenDocument, signal?: AbortSignal): Promise<PublishedFindings | undefined> {
    return this.published.of(document, this.#limits.settleTimeout, signal);
  }

  /** Waits, within bounds, until it says that it is ready; false where it does not say so. */
  settle(signal?: AbortSignal): Promise<boolean> {
    return this.readiness.wait(this.#limits.settleTimeout, signal);
  }

  /** As long as something runs, the server is neither idle nor put aside for another. */
  async whileBusy<Result>(use: () => Promise<Result>): Promise<Result> {
    const release = this.hold();
    try {
      return await use();
    } finally {
      release();
    }
  }

  /** The same until what this returns is called, once. */
  hold(): () => void {
    this.#busy += 1;
    return () => {
      this.#busy -= 1;
      if (this.#busy > 0) return;
      this.#idle.resolve();
      this.#idle = new Deferred();
      this.onDidIdle();
    };
  }

  /** Waits for the questions under way, but no longer than that. */
  async untilIdle(milliseconds: number): Promise<void> {
    if (this.busy) await within(this.#idle.promise, { clock: this.#clock, milliseconds });
  }

  /** Lets what is under way finish, asks the server to leave, and ends it with all its descendants. */
  async stop(): Promise<void> {
    if (this.#stopping) {
      await this.process.exited;
      return;
    }
    this.#stopping = true;
    const { stopTimeout } = this.#limits;
    await this.untilIdle(stopTimeout);
    const shutdown = this.#connection.request('shutdown', undefined, { timeout: stopTimeout });
    // One that does not answer in time is ended all the same.
    await shutdown.catch(() => undefined);
    this.#connection.notify('exit');
    await within(this.process.exited, { clock: this.#clock, milliseconds: stopTimeout });
    this.process.kill();
    await this.process.exited;
  }

  /** The same without asking or waiting. */
  kill(): void {
    this.#stopping = true;
    this.process.kill();
  }

  async #initialize(initializationOptions: unknown): Promise<void> {
    const params = initializeParams(this.#folders.map(toWire), initializationOptions, {
      isSandboxed: this.process.sandbox !== undefined,
    });
    const { initializeTimeout, registrationWait } = this.#limits;
    const result = await this.#connection.request('initialize', params, { timeout: initializeTimeout });
    this.#capabilities = result?.capabilities ?? {};
    this.readiness.expect(Math.max(1, this.#folders.length));
    this.#connection.notify('initialized', {});
    for (const method of this.definition.announces ?? []) this.#connection.notify(method, {});
    // Some servers say that they follow folders only after the handshake.
    const undecided = this.definition.folders === undefined && !announcesFolders(this.#capabilities);
    if (undecided) {
      const wait = { clock: this.#clock, milliseconds: registrationWait };
      await within(Promise.race([this.#registrations.of(FOLDERS_METHOD), this.process.exited]), wait);
    }
    const registered = this.#registrations.has(FOLDERS_METHOD);
    this.#kind = decideKind(this.definition.folders, this.#capabilities, registered);
    this.#log.debug('language server started', { server: this.definition.name, kind: this.#kind });
  }

  #warnUnwatched(root: string): void {
    const { name: server } = this.definition;
    this.#log.warn('too many files to compare: a language server sees changes of open files only', {
      server,
    });
    this.#log.debug('root with too many files to compare', { server, root });
  }
}

function toWire({ path, name }: ServedFolder): WorkspaceFolder {
  return { uri: pathToFileUri(path), name };
}
