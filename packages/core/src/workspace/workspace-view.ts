import type { Project } from '../project/project.js';
import type { Scope } from '../scope/scope.js';
import { explainSnapshot } from './explain.js';
import type { Snapshot } from './snapshot.js';
import { primaryDirectory } from './snapshot.js';

/** What a call works with: the workspace itself, or one moment of it. */
export interface WorkspaceView {
  snapshot(): Snapshot;
  scope(): Scope;
  project(): Project;
  directory(): string | undefined;
  explain(): string;
}

/** A view that never changes. */
export class SnapshotView implements WorkspaceView {
  readonly #snapshot: Snapshot;
  readonly #createScope: (snapshot: Snapshot) => Scope;
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
    this.#scope ??= this.#createScope(this.#snapshot);
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
