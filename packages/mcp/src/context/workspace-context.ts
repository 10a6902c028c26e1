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
   * and above 4 KB. Given `roots`, it stands for just those, in that order and whosever they are.
   */
  handle(roots?: readonly Root[]): Promise<string | undefined>;
}

/** Where a `WorkspaceContext` gets its answers from. */
export interface ContextSource {
  view(): Promise<WorkspaceView>;
  live(): Promise<Workspace>;
  handle(view: WorkspaceView, roots?: readonly Root[]): string | undefined;
}

export class LazyWorkspaceContext implements WorkspaceContext {
  readonly #source: ContextSource;
  #view: Promise<WorkspaceView> | undefined;

  constructor(source: ContextSource) {
    this.#source = source;
  }

  snapshot(): Promise<Snapshot> {
    return this.#with((view) => view.snapshot());
  }

  roots(): Promise<readonly Root[]> {
    return this.#with((view) => view.snapshot().roots);
  }

  scope(): Promise<Scope> {
    return this.#with((view) => view.scope());
  }

  project(): Promise<Project> {
    return this.#with((view) => view.project());
  }

  directory(): Promise<string | undefined> {
    return this.#with((view) => view.directory());
  }

  explain(): Promise<string> {
    return this.#with((view) => view.explain());
  }

  live(): Promise<Workspace> {
    return handled(this.#source.live());
  }

  handle(roots?: readonly Root[]): Promise<string | undefined> {
    return this.#with((view) => this.#source.handle(view, roots));
  }

  #with<T>(read: (view: WorkspaceView) => T | Promise<T>): Promise<T> {
    this.#view ??= this.#source.view();
    return handled(this.#view.then(read));
  }
}

/** A handler that fails before it awaits what it asked for must not end the process with an unhandled rejection. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
