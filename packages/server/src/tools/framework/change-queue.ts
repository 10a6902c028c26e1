import { sep } from 'node:path';
import { RootwardError, type Scope } from '@rootward/core';

interface Running {
  readonly keys: readonly string[];
  readonly ended: Promise<unknown>;
}

/** Runs changes of the same files, or of a folder and what is in it, one after the other, and all others at once. */
export class ChangeQueue {
  readonly #running = new Set<Running>();

  /** Keys are paths, or names that stand for something else. */
  async run<Result>(keys: readonly string[], task: () => Promise<Result>): Promise<Result> {
    const before = [...this.#running].filter((other) => collide(keys, other.keys));
    // A change that waits for no other starts at once, so before any that comes later.
    const running = before.length === 0 ? task() : Promise.all(before.map(({ ended }) => ended)).then(task);
    const entry: Running = { keys, ended: running.catch(() => undefined) };
    this.#running.add(entry);
    try {
      return await running;
    } finally {
      this.#running.delete(entry);
    }
  }

  /** How many changes are under way or wait. */
  get size(): number {
    return this.#running.size;
  }
}

/**
 * The key of a path: where it leads. Changing what is out of scope says best why it is refused; its key is that of no
 * path in scope, so that a folder above all roots holds up nothing in them.
 */
export function changeKey(scope: Scope, path: string): string {
  return canonicalPath(scope, path) ?? `out of scope: ${path}`;
}

/** Where a path leads; undefined where that is out of scope. */
export function canonicalPath(scope: Scope, path: string): string | undefined {
  try {
    return scope.locate(path).path;
  } catch (error) {
    if (error instanceof RootwardError) return undefined;
    throw error;
  }
}

function collide(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) =>
    others.some((other) => one === other || isBelow(one, other) || isBelow(other, one)),
  );
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && (path[folder.length] === sep || folder.endsWith(sep));
}
