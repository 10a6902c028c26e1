import type { Project, Root, Scope, Snapshot, Workspace, WorkspaceView } from '@rootward/core';

/**
 * What a handler knows of the workspace. Nothing is asked until one of these is called; from then on the call sees
 * one snapshot, whatever the client says meanwhile.
 */
export interface WorkspaceContext {
  snapshot(): Promise<Snapshot>;
  roots(): Promise<readonly Root[]>;
  /** File access that cannot leave the roots. */
  scope(): Promise<Scope>;
  /** The project the work is about; rejects with an instruction when there is none. */
  project(): Promise<Project>;
  /** The first directory root. */
  directory(): Promise<string | undefined>;
  /** Where the roots come from and why, for people. Holds paths. */
  explain(): Promise<string>;
  /**
   * The live workspace: that of the connection, or one for this request alone where nothing is kept between
   * requests. For what changes it, such as choosing a project.
   */
  live(): Promise<Workspace>;
  /**
   * A token that stands for the client's roots, to be passed as the `workspace` argument of later calls, which then
   * need not ask. Undefined on a legacy connection, where calls never ask twice, when the roots are not the client's,
   * and above 4 KB.
   */
  handle(): Promise<string | undefined>;
}

/** Where a `WorkspaceContext` gets its answers from. */
export interface ContextSource {
  view(): Promise<WorkspaceView>;
  live(): Promise<Workspace>;
  handle(view: WorkspaceView): Promise<string | undefined>;
}

export class LazyWorkspaceContext implements WorkspaceContext {
  readonly #source: ContextSource;
  #view: Promise<WorkspaceView> | undefined;

  constructor(source: ContextSource) {
    this.#source = source;
  }

  async snapshot(): Promise<Snapshot> {
    return (await this.#resolve()).snapshot();
  }

  async roots(): Promise<readonly Root[]> {
    return (await this.#resolve()).snapshot().roots;
  }

  async scope(): Promise<Scope> {
    return (await this.#resolve()).scope();
  }

  async project(): Promise<Project> {
    return (await this.#resolve()).project();
  }

  async directory(): Promise<string | undefined> {
    return (await this.#resolve()).directory();
  }

  async explain(): Promise<string> {
    return (await this.#resolve()).explain();
  }

  live(): Promise<Workspace> {
    return this.#source.live();
  }

  async handle(): Promise<string | undefined> {
    return this.#source.handle(await this.#resolve());
  }

  #resolve(): Promise<WorkspaceView> {
    this.#view ??= this.#source.view();
    return this.#view;
  }
}
