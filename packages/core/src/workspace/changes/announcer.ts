import type { Disposable } from '../../platform/disposable.js';
import type { Emitter } from '../../platform/emitter.js';
import type { Project } from '../../project/project.js';
import { diffRoots } from '../../roots/diff-roots.js';
import type { WorkspaceChange } from './change.js';
import { Followers, type Follower, type FollowersSetup } from './followers.js';
import { loggedEmitter, type ChangeListener, type ProjectListener } from './listeners.js';
import type { Snapshot } from '../../snapshot/snapshot.js';

/** Announces changes: to listeners at once, to followers when they are ready. */
export class Announcer {
  readonly #setup: FollowersSetup;
  // Each is made for the first who wants it: there may be thousands of workspaces, and most have no followers.
  #listeners: Emitter<WorkspaceChange> | undefined;
  #projectListeners: Emitter<Project> | undefined;
  #followers: Followers | undefined;

  constructor(setup: FollowersSetup) {
    this.#setup = setup;
  }

  listen(listener: ChangeListener): Disposable {
    this.#listeners ??= loggedEmitter(this.#setup.log);
    return this.#listeners.add(listener);
  }

  listenToChoices(listener: ProjectListener): Disposable {
    this.#projectListeners ??= loggedEmitter(this.#setup.log);
    return this.#projectListeners.add(listener);
  }

  /** Its first change is what is there already, if anything is. */
  follow(follower: Follower, snapshot: Snapshot): Disposable {
    const { roots } = snapshot;
    const first: WorkspaceChange = { ...diffRoots([], roots), reason: 'start', snapshot };
    this.#followers ??= new Followers(this.#setup);
    return this.#followers.add(follower, roots.length === 0 ? undefined : first);
  }

  announce(change: WorkspaceChange): void {
    this.#listeners?.fire(change);
    this.#followers?.announce(change);
  }

  announceChoice(project: Project): void {
    this.#projectListeners?.fire(project);
  }

  /** Resolves when the followers have seen every change so far, except followers that are late. */
  async followed(): Promise<void> {
    await this.#followers?.idle();
  }

  clear(): void {
    this.#listeners?.clear();
    this.#projectListeners?.clear();
    this.#followers?.clear();
  }
}
