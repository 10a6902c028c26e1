import { describeRepository } from '@rootward/core';
import type { Project, RootwardError, Scope, Snapshot, Source, WorkspaceView } from '@rootward/core';

/** The working tree that a call works in. */
export interface WorkingTree {
  /** The top of the tree. */
  readonly path: string;
  /** The main tree of the repository. */
  readonly repository: string;
  /** Whether it is a linked worktree, not the main tree. */
  readonly linked: boolean;
  readonly branch?: string;
  /** The commit that is checked out without a branch. */
  readonly commit?: string;
  /** What says that the caller works in this tree; undefined where nobody can tell. */
  readonly known?: Source;
  /** Other trees that the caller may work in instead. */
  readonly others?: readonly string[];
}

interface PlacedOptions {
  readonly known: Source | undefined;
  /** What replaces the roots where the caller works in another tree. */
  readonly moved?: WorkspaceView;
  /** Why nothing may be resolved against the first root. */
  readonly refusal?: () => RootwardError;
  readonly others?: readonly string[];
  /** Says what relative paths mean for this call. */
  readonly withBase?: ((scope: Scope, snapshot: Snapshot) => Scope) | undefined;
}

/** What a call sees once it is known which working tree its caller works in, or that nobody can tell. */
export class PlacedView implements WorkspaceView {
  /** What the connection sees, whoever calls. */
  readonly base: WorkspaceView;
  readonly #seen: WorkspaceView;
  readonly #options: PlacedOptions;
  #scope: Scope | undefined;

  constructor(base: WorkspaceView, options: PlacedOptions) {
    this.base = base;
    this.#seen = options.moved ?? base;
    this.#options = options;
  }

  /** Whether the call sees other roots than the connection. */
  get isMoved(): boolean {
    return this.#options.moved !== undefined;
  }

  /** What says that the caller works here; undefined where nobody can tell. */
  get known(): Source | undefined {
    return this.#options.known;
  }

  snapshot(): Snapshot {
    return this.#seen.snapshot();
  }

  scope(): Scope {
    const { refusal, withBase } = this.#options;
    const scope = this.#seen.scope();
    this.#scope ??=
      refusal === undefined ? withBase?.(scope, this.snapshot()) : scope.refusingRelative(refusal);
    return this.#scope ?? scope;
  }

  /** That of the main repository, with the path it has in this tree. */
  project(): Project {
    const project = this.base.project();
    if (!this.isMoved || project.path === undefined) return project;
    const place = this.snapshot().roots.find(({ standsFor }) => standsFor === project.path);
    return place === undefined ? project : { ...project, path: place.path, source: place.source };
  }

  directory(): string | undefined {
    const { refusal } = this.#options;
    if (refusal !== undefined) throw refusal();
    return this.#seen.directory();
  }

  explain(): string {
    return this.#seen.explain();
  }

  /** The tree of the first directory root; undefined outside of any repository. */
  tree(): WorkingTree | undefined {
    const directory = this.#seen.directory();
    const facts = directory === undefined ? undefined : describeRepository(directory);
    if (facts === undefined) return undefined;
    const { top, path, worktree, branch, commit } = facts;
    const { known, others } = this.#options;
    return {
      path: top,
      repository: path,
      linked: worktree,
      ...(branch !== undefined && { branch }),
      ...(commit !== undefined && { commit }),
      ...(known !== undefined && { known }),
      ...(others !== undefined && { others }),
    };
  }
}
