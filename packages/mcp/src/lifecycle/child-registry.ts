import { disposable, Emitter, killTrees } from '@rootward/core/platform';

/** The part of `ChildProcess` that is needed here. */
export interface ChildLike {
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: string | null;
  /** The program and its arguments, for people. */
  readonly spawnargs?: readonly string[];
  once(event: 'exit', listener: () => void): unknown;
  removeListener(event: 'exit', listener: () => void): unknown;
}

/** What people are told of a child, and may do with it. */
export interface ChildAbout {
  readonly kind: 'tool' | 'language server' | 'wrapped server';
  readonly name: string;
  /** Level, backend and guarantee; `off` where there is none. */
  readonly sandbox: string;
  /** The last of what it wrote. */
  readonly lastLines?: () => readonly string[];
  /** Starts another one in its place. */
  readonly restart?: () => Promise<void>;
}

/** A child that runs. */
export interface RunningChild {
  readonly pid: number;
  /** The program and its arguments. */
  readonly command: string;
  readonly about: ChildAbout | undefined;
}

/** How long children may take to end on SIGTERM before SIGKILL; part of the one second a server has to be gone. */
const POLITE_MS = 200;

interface Entry {
  readonly pid: number;
  readonly about: ChildAbout | undefined;
  readonly forget: () => void;
}

/** Children that must not outlive this process. */
export class ChildRegistry {
  readonly #children = new Map<ChildLike, Entry>();
  readonly #changes = new Emitter();
  /** A child that ignores SIGTERM while its parent obeys is no longer found in the tree later. */
  #asked: readonly number[] = [];
  #ended: (() => void) | undefined;

  get size(): number {
    return this.#children.size;
  }

  /**
   * Registers a child; it is forgotten when it exits or when the returned object is disposed. Spawn it with
   * `detached: true` where the platform has process groups, so that what its own children start is found as well.
   */
  add(child: ChildLike, about?: ChildAbout): Disposable {
    const { pid } = child;
    if (pid === undefined || child.exitCode !== null || child.signalCode !== null) {
      return disposable(() => undefined);
    }
    const forget = (): void => {
      child.removeListener('exit', forget);
      this.#children.delete(child);
      this.#changes.fire();
      if (this.#children.size === 0) this.#ended?.();
    };
    child.once('exit', forget);
    this.#children.set(child, { pid, about, forget });
    this.#changes.fire();
    return disposable(forget);
  }

  /** Those that run. */
  list(): readonly RunningChild[] {
    return Array.from(this.#children, ([child, { pid, about }]) => ({
      pid,
      command: (child.spawnargs ?? []).join(' '),
      about,
    }));
  }

  /** Told when a child has come or gone. */
  onDidChange(listener: () => void): Disposable {
    return this.#changes.add(listener);
  }

  /** Ends one child and its descendants. False where it is not one of these. */
  async endOne(pid: number): Promise<boolean> {
    const found = [...this.#children].find(([, entry]) => entry.pid === pid);
    if (found === undefined) return false;
    const [child] = found;
    const asked = killTrees([pid], 'SIGTERM');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLITE_MS);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    killTrees([...asked, ...(this.#children.has(child) ? [pid] : [])], 'SIGKILL');
    return true;
  }

  /** Ends every child and its descendants: asked first, killed if still there. */
  async end(): Promise<void> {
    if (this.#children.size === 0) return;
    const pids = [...this.#children.values()].map(({ pid }) => pid);
    this.#asked = killTrees(pids, 'SIGTERM');
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLITE_MS);
      this.#ended = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#ended = undefined;
    killTrees(pids, 'SIGKILL');
    this.#killAsked();
  }

  /** The same with SIGKILL and without waiting, for the very last moment of the process. */
  kill(): void {
    const children = [...this.#children.values()];
    for (const { forget } of children) forget();
    killTrees(
      children.map(({ pid }) => pid),
      'SIGKILL',
    );
    this.#killAsked();
  }

  /** With what they have started since. */
  #killAsked(): void {
    killTrees(this.#asked, 'SIGKILL');
    this.#asked = [];
  }
}
