import { Emitter } from '../platform/emitter.js';
import type { Disposable } from '../platform/disposable.js';
import { containsPath } from '../uri/contains-path.js';
import { hostPathStyle } from '../uri/path-style.js';
import type { Root } from './root.js';

/** What the operator may take away from a place while a server runs. */
export type OperatorLimit = 'revoked' | 'read-only';

/**
 * Places that the operator limits while servers run, with all below them. A limit holds whatever a client, a handle or
 * a binding names later, until the operator lifts it. Share one among all workspaces of a process.
 *
 * @example
 * ```ts
 * import { OperatorLimits } from '@rootward/core';
 *
 * const limits = new OperatorLimits();
 * limits.set('/home/me/app', 'read-only');
 * console.log(limits.on('/home/me/app/src/a.ts')); // read-only
 * ```
 */
export class OperatorLimits {
  readonly #places = new Map<string, OperatorLimit>();
  readonly #changes = new Emitter();

  /** `path` is canonical. The stronger limit of a place and those above it counts. */
  set(path: string, limit: OperatorLimit): void {
    if (this.#places.get(path) === limit) return;
    this.#places.set(path, limit);
    this.#changes.fire();
  }

  /** False where there was no limit on this very place. */
  lift(path: string): boolean {
    const lifted = this.#places.delete(path);
    if (lifted) this.#changes.fire();
    return lifted;
  }

  list(): readonly { readonly path: string; readonly limit: OperatorLimit }[] {
    return Array.from(this.#places, ([path, limit]) => ({ path, limit }));
  }

  /** The limit on a canonical path, from its own place or one above it. */
  on(path: string): OperatorLimit | undefined {
    if (this.#places.size === 0) return undefined;
    const found = [...this.#places].filter(([place]) => containsPath(place, path, hostPathStyle));
    if (found.some(([, limit]) => limit === 'revoked')) return 'revoked';
    return found.length > 0 ? 'read-only' : undefined;
  }

  /**
   * The roots that remain, with the access that remains. Limits on places inside a root are enforced by file access.
   */
  apply(roots: readonly Root[]): readonly Root[] {
    if (this.#places.size === 0) return roots;
    return roots
      .filter((root) => this.on(root.path) !== 'revoked')
      .map((root) => (this.on(root.path) === 'read-only' ? asReadOnly(root) : root));
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changes.add(listener);
  }
}

function asReadOnly(root: Root): Root {
  return { ...root, access: 'read-only' };
}
