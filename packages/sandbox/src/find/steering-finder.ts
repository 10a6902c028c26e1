import { findLauncher } from '../backends/launcher.js';
import { isAtOrBelow } from '../plan/path-order.js';
import { FolderWatch } from './folder-watch.js';
import type { Found } from './found.js';
import { walkFor } from './walk.js';

/** What the budget does not reach is read-only for children. */
const MAX_FOLDERS = 200_000;
/** Each is a process; nobody works in more roots at a time. */
const MAX_WATCHES = 16;

/**
 * Finds what steers programs of the user below roots, at any depth, before each child starts. Watches the folders where
 * our launcher is there, so that only the first time looks at everything; else each time does. Linux has both.
 */
export class SteeringFinder implements Disposable {
  readonly #endings: readonly string[];
  readonly #launcher: string | undefined;
  readonly #maxFolders: number;
  /** By root; the one that was asked last is the last. */
  readonly #watches = new Map<string, FolderWatch>();

  constructor(
    endings: readonly string[],
    {
      launcher = findLauncher(),
      maxFolders = MAX_FOLDERS,
    }: { launcher?: string | undefined; maxFolders?: number } = {},
  ) {
    this.#endings = endings;
    this.#launcher = launcher;
    this.#maxFolders = maxFolders;
  }

  /** What is there now. Never leaves something out: what cannot be looked into is in the list as such. */
  async find(roots: readonly string[], signal?: AbortSignal): Promise<readonly Found[]> {
    const own = this.#launcher;
    // A child before could have put another program in its place.
    const launcher = own !== undefined && roots.some((root) => isAtOrBelow(own, root)) ? undefined : own;
    const found = await Promise.all(roots.map((root) => this.#findIn(root, launcher, signal)));
    return found.flat();
  }

  dispose(): void {
    for (const root of this.#watches.keys()) this.#stop(root);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  async #findIn(root: string, launcher: string | undefined, signal?: AbortSignal): Promise<readonly Found[]> {
    if (launcher !== undefined) {
      try {
        return await this.#watch(root, launcher).ask();
      } catch {
        // It was killed, or cannot run here.
        this.#stop(root);
      }
    }
    return walkFor({ endings: this.#endings, maxFolders: this.#maxFolders }, root, signal);
  }

  #watch(root: string, launcher: string): FolderWatch {
    let watch = this.#watches.get(root);
    if (watch === undefined || watch.isOver) {
      watch = new FolderWatch(launcher, root, { endings: this.#endings, maxFolders: this.#maxFolders });
    }
    this.#watches.delete(root);
    this.#watches.set(root, watch);
    const [oldest] = this.#watches.keys();
    if (this.#watches.size > MAX_WATCHES && oldest !== undefined) this.#stop(oldest);
    return watch;
  }

  #stop(root: string): void {
    this.#watches.get(root)?.dispose();
    this.#watches.delete(root);
  }
}
