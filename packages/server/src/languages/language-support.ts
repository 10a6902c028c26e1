import type { Logger, Scope } from '@rootward/core';
import type * as LspLibrary from '@rootward/lsp';
import type {
  CodeContext,
  EditJournal,
  LanguageServers,
  LanguageServersOptions,
  ServerSandbox,
  ServerStatus,
  SharedLanguageServers,
  SyntaxSource,
} from '@rootward/lsp';
import type { ChildRegistry, WorkspaceContext } from '@rootward/mcp';
import type { Era } from '../era.js';

export interface LanguageSupportOptions {
  /** The `languageServers` section of the configuration. */
  readonly servers?: unknown;
  readonly trustWorkspaceServers?: boolean;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where edits under way are noted, so that one that is cut off can be undone. */
  readonly journal: string;
  /** A private folder for what servers find out about the roots. */
  readonly cache?: string | undefined;
  readonly children: ChildRegistry;
  readonly log: Logger;
  /** How servers are held to the roots. */
  readonly sandbox?: ServerSandbox | undefined;
}

/** Whose question it is, and about what. */
export interface Asker {
  readonly workspace: WorkspaceContext;
  readonly era: Era;
  /** On whose behalf; empty without authentication. */
  readonly principal: string;
  readonly signal: AbortSignal;
  readonly progress?: ((message: string) => void) | undefined;
}

type Library = typeof LspLibrary;

/** What a question about code is answered with. */
export interface Session {
  readonly library: Library;
  readonly code: CodeContext;
  readonly journal: EditJournal;
}

interface Loaded {
  readonly library: Library;
  readonly shared: SharedLanguageServers;
  readonly journal: EditJournal;
}

/** The language servers of this process, loaded with the first question about code: most sessions have none. */
export class LanguageSupport {
  readonly #options: LanguageSupportOptions;
  #loading: Promise<Loaded> | undefined;
  #changesMade = 0;
  #syntax: Promise<SyntaxSource | undefined> | undefined;

  constructor(options: LanguageSupportOptions) {
    this.#options = options;
  }

  async use<Result>(asker: Asker, act: (session: Session) => Promise<Result>): Promise<Result> {
    const { library, shared, journal } = await this.#loaded();
    const scope = await asker.workspace.scope();
    return this.#lend(shared, scope, asker, (servers) =>
      act({
        library,
        journal,
        code: {
          servers,
          scope,
          signal: asker.signal,
          progress: asker.progress,
          syntax: () => this.#parser(),
        },
      }),
    );
  }

  /** To be called after each call that may have changed files: the next question must see it. */
  noteChange(): void {
    this.#changesMade += 1;
  }

  /** Servers that run for this asker, or should. Starts nothing. */
  async status(asker: Asker): Promise<readonly ServerStatus[]> {
    if (this.#loading === undefined) return [];
    const { shared } = await this.#loading;
    const scope = await asker.workspace.scope();
    return this.#lend(shared, scope, asker, (servers) => Promise.resolve(servers.status()));
  }

  async dispose(): Promise<void> {
    await (await this.#loading)?.shared.dispose();
  }

  /** For a connection they follow its roots; for a call with roots of its own they are lent. */
  async #lend<Result>(
    shared: SharedLanguageServers,
    scope: Scope,
    { workspace, era, principal, signal }: Asker,
    act: (servers: LanguageServers) => Promise<Result>,
  ): Promise<Result> {
    const live = era === 'legacy' ? await workspace.live() : undefined;
    using lease =
      live === undefined
        ? shared.lease(scope.roots, principal)
        : await shared.borrow(live, scope.roots, principal, signal);
    return await act(lease.servers);
  }

  /** Loaded with the first question that no language server answers. It is an optional package. */
  #parser(): Promise<SyntaxSource | undefined> {
    this.#syntax ??= import('@rootward/syntax').then(
      ({ SyntaxReader }) => new SyntaxReader(),
      () => undefined,
    );
    return this.#syntax;
  }

  /** What failed is tried again: status and shutdown must not fail for good with it. */
  #loaded(): Promise<Loaded> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<Loaded> {
    const library = await import('@rootward/lsp');
    const { servers, trustWorkspaceServers, environment, journal, cache, children, log, sandbox } =
      this.#options;
    const options: LanguageServersOptions = {
      servers: library.readServerSettings(servers),
      log,
      changesMade: () => this.#changesMade,
      onDidSpawn: (child, server) => void children.add(child, { kind: 'language server', ...server }),
      ...(trustWorkspaceServers !== undefined && { trustWorkspaceServers }),
      ...(environment !== undefined && { environment }),
      ...(cache !== undefined && { cache }),
      ...(sandbox !== undefined && { sandbox }),
    };
    return {
      library,
      shared: new library.SharedLanguageServers(options),
      journal: new library.EditJournal(journal),
    };
  }
}
