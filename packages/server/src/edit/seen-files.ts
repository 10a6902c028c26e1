import { sep } from 'node:path';
import type { Plan } from '@rootward/core';

/** About 300 bytes each. */
const MAX_FILES = 2000;

/**
 * The state in which a session last saw each file, by what it read and wrote itself. Holds no contents. The file that
 * was seen longest ago is forgotten first.
 */
export class SeenFiles {
  /** Versions by canonical path. */
  readonly #versions = new Map<string, string>();

  get size(): number {
    return this.#versions.size;
  }

  /** Takes the version of a reading or writing. */
  note(version: string): void {
    const path = version.slice(version.indexOf(' ') + 1);
    this.#versions.delete(path);
    this.#versions.set(path, version);
    const [oldest] = this.#versions.size > MAX_FILES ? this.#versions.keys() : [];
    if (oldest !== undefined) this.#versions.delete(oldest);
  }

  versionOf(path: string): string | undefined {
    return this.#versions.get(path);
  }

  forget(path: string): void {
    this.#versions.delete(path);
  }

  /** Takes a change that the session made itself, and the version of a file that it wrote. */
  changed(plan: Plan, version: string | undefined): void {
    switch (plan.kind) {
      case 'put':
        if (version === undefined) this.forget(plan.path);
        else this.note(version);
        break;
      case 'move':
        this.#move(plan);
        break;
      case 'take-tree':
      case 'put-tree':
        this.#forgetBelow(plan.path);
    }
  }

  #move({ from, path, moved }: Plan & { readonly kind: 'move' }): void {
    const version = this.#versions.get(from);
    if (moved.stats.isDirectory()) this.#forgetBelow(from);
    this.forget(from);
    this.forget(path);
    if (version !== undefined) this.note(version.slice(0, version.indexOf(' ') + 1) + path);
  }

  #forgetBelow(folder: string): void {
    for (const path of this.#versions.keys()) if (path.startsWith(folder + sep)) this.forget(path);
  }
}
