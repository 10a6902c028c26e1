import type { History } from '@rootward/core/history';
import type { ChangeTally, Project, Root, Scope, Snapshot, Workspace } from '@rootward/core';
import type { PlacedView, WorkingTree } from './placed-view.js';

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
  /**
   * The first directory root, of the working tree that the caller works in. Rejects with `ambiguous-tree` where nobody
   * can tell which one that is, as relative paths do: what a handler starts there could land in the wrong tree.
   */
  directory(): Promise<string | undefined>;
  /** The working tree of the first directory root, and how it is known; undefined outside of any repository. */
  tree(): Promise<WorkingTree | undefined>;
  /** Where the roots come from and why, for people. Holds paths. */
  explain(): Promise<string>;
  /**
   * Says that the answer of this call names its roots. Relative paths of later calls in the same session start at the first
   * of them; until then, they start where they did, and are refused once that root is gone.
   */
  rootsShown(): Promise<void>;
  /**
   * The live workspace: that of the connection, or one for this request alone where nothing is kept between
   * requests. For what changes it, such as choosing a project.
   */
  live(): Promise<Workspace>;
  /**
   * A token that stands for the client's roots. A later call that passes it as its `workspace` argument need not ask.
   * Undefined on a legacy connection, where calls never ask twice, if the roots are not the client's, and if the token
   * would exceed 4 KB. With `roots`, it stands for these, in this order, from whatever source.
   */
  handle(roots?: readonly Root[]): Promise<string | undefined>;
  /**
   * A token that stands for the working tree which contains a folder: a caller that passes it works there, on either
   * era. Undefined where the folder is neither in the roots nor in a worktree that a repository of theirs confirms.
   */
  treeHandle(directory: string): Promise<string | undefined>;
  /** Whether this call of a tool has changed something through its scope. Undefined outside of calls of tools. */
  readonly changed?: boolean | undefined;
  /** Tells of each of these changes. */
  readonly tally?: ChangeTally | undefined;
  /** What this call knows of the history; undefined where none is kept. */
  readonly history?: CallHistory | undefined;
}

/** What a call knows of the history of changes. */
export interface CallHistory {
  /** The id under which the history keeps what this call has changed so far; undefined if it changed nothing. */
  readonly changeId: string | undefined;
  /** What the history calls the connection. */
  readonly session: string;
  /** A digest of whom the call comes from over HTTP; empty without authentication. */
  readonly principal: string;
  open(): Promise<History>;
}

/** Where a `WorkspaceContext` gets its answers from. */
export interface ContextSource {
  /** Called once. Returns no promise if everything is known, which is the usual case: each promise costs time. */
  view(): PlacedView | Promise<PlacedView>;
  live(): Promise<Workspace>;
  handle(view: PlacedView, roots?: readonly Root[]): string | undefined;
  treeHandle(view: PlacedView, directory: string): Promise<string | undefined>;
  /** The answer of the call names the roots. Absent where nothing is remembered between calls. */
  rootsShown?(view: PlacedView): void;
}

export class LazyWorkspaceContext implements WorkspaceContext {
  readonly #source: ContextSource;
  #view: PlacedView | Promise<PlacedView> | undefined;

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

  tree(): Promise<WorkingTree | undefined> {
    return this.#with((view) => view.tree());
  }

  explain(): Promise<string> {
    return this.#with((view) => view.explain());
  }

  rootsShown(): Promise<void> {
    // A call that has not looked at its roots does not name them.
    return this.#view === undefined
      ? Promise.resolve()
      : this.#with((view) => this.#source.rootsShown?.(view));
  }

  live(): Promise<Workspace> {
    return handled(this.#source.live());
  }

  handle(roots?: readonly Root[]): Promise<string | undefined> {
    return this.#with((view) => this.#source.handle(view, roots));
  }

  treeHandle(directory: string): Promise<string | undefined> {
    return this.#with((view) => this.#source.treeHandle(view, directory));
  }

  #with<T>(read: (view: PlacedView) => T | Promise<T>): Promise<T> {
    const view = (this.#view ??= this.#look());
    if (view instanceof Promise) return handled(view.then(read));
    try {
      const value = read(view);
      return value instanceof Promise ? handled(value) : Promise.resolve(value);
    } catch (error) {
      return handled(Promise.reject(error));
    }
  }

  /** A failure is remembered: the whole call gets the same one. */
  #look(): PlacedView | Promise<PlacedView> {
    try {
      return this.#source.view();
    } catch (error) {
      return handled(Promise.reject(error));
    }
  }
}

/** A handler that fails before it awaits what it asked for must not end the process with an unhandled rejection. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}
