import { ProjectMemory } from '../project/project-memory.js';
import type { Project } from '../project/project.js';
import { Scope } from '../scope/scope.js';
import { explainSnapshot } from '../snapshot/explain.js';
import { primaryDirectory, type Snapshot } from '../snapshot/snapshot.js';

/** What a call works with: the workspace itself, or a fixed state of it. */
export interface WorkspaceView {
  snapshot(): Snapshot;
  scope(): Scope;
  project(): Project;
  directory(): string | undefined;
  explain(): string;
}

/** A view of a snapshot that belongs to no workspace, such as that of a standalone request. */
export function viewSnapshot(snapshot: Snapshot, createScope: CreateScope = plainScope): WorkspaceView {
  const project = new ProjectMemory();
  project.note(snapshot);
  return new SnapshotView(snapshot, createScope, () => project.project(snapshot));
}

/** How file access over a snapshot is made; the place for deny rules and protected files. */
export type CreateScope = (snapshot: Snapshot) => Scope;

/** A scope whose rules are tied to what the operator named, even if its author forgot to pass the fence. */
export function fencedScope(createScope: CreateScope, snapshot: Snapshot): Scope {
  return createScope(snapshot).fencedBy(snapshot.fence);
}

/** Without any rules. */
export function plainScope(snapshot: Snapshot): Scope {
  return new Scope({ roots: snapshot.roots, fence: snapshot.fence });
}

/** A view that never changes. */
export class SnapshotView implements WorkspaceView {
  readonly #snapshot: Snapshot;
  readonly #createScope: CreateScope;
  readonly #describeProject: () => Project;
  #scope: Scope | undefined;
  #project: Project | undefined;

  constructor(
    snapshot: Snapshot,
    createScope: (snapshot: Snapshot) => Scope,
    describeProject: () => Project,
  ) {
    this.#snapshot = snapshot;
    this.#createScope = createScope;
    this.#describeProject = describeProject;
  }

  snapshot(): Snapshot {
    return this.#snapshot;
  }

  scope(): Scope {
    this.#scope ??= fencedScope(this.#createScope, this.#snapshot);
    return this.#scope;
  }

  project(): Project {
    this.#project ??= this.#describeProject();
    return this.#project;
  }

  directory(): string | undefined {
    return primaryDirectory(this.#snapshot);
  }

  explain(): string {
    return explainSnapshot(this.#snapshot);
  }
}
