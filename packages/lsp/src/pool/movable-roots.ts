import type { Root } from '@rootward/core';
import type { FollowedWorkspace } from './language-servers.js';

/** Roots that stay what they are until they are moved. */
export class MovableRoots implements FollowedWorkspace {
  readonly #listeners = new Set<() => void>();
  #roots: readonly Root[];

  constructor(roots: readonly Root[]) {
    this.#roots = roots;
  }

  snapshot(): { readonly roots: readonly Root[] } {
    return { roots: this.#roots };
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  move(roots: readonly Root[]): void {
    this.#roots = roots;
    for (const listener of this.#listeners) listener();
  }
}
