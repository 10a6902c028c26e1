import { disposable, within } from '@rootward/core/platform';
import { ChildRegistry } from './child-registry.js';
import { watchParent } from './parent-watch.js';

/** What makes a `ProcessGuard` leave. */
export interface ProcessGuardOptions {
  /** Leave when the parent process dies. For servers that a client starts; off for those that run on their own. */
  readonly watchParent?: boolean;
}

/** Together with the 400 ms of the transport, a server ends within a second; unfinished hooks are cut off. */
const DEADLINE_MS = 500;
/** A reader that does not take the last bytes must not hold up the exit. */
const HOOKS_MS = 300;
/** Less than what balancers and supervisors give a process before they kill it. */
const DRAIN_MS = 10_000;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Makes this process leave promptly, and its children with it: on SIGTERM, SIGINT and SIGHUP, on the parent's
 * death, and whenever `shutdown()` is called, whatever request, timer or child is pending. Does NOT interrupt
 * synchronous code: a handler that blocks the event loop delays all of this.
 */
export class ProcessGuard implements Disposable {
  /** Register what you spawn here: it is ended with this process, as a tree. */
  readonly children: ChildRegistry = new ChildRegistry();
  readonly #hooks = new Set<() => void | Promise<void>>();
  #drain: (() => Promise<void>) | undefined;
  readonly #parent: Disposable | undefined;
  #leaving = false;

  constructor(options: ProcessGuardOptions = {}) {
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    process.on('exit', this.#onExit);
    // Nobody may be reading stderr; that is no reason to stop serving.
    process.stderr.on('error', ignore);
    if (options.watchParent ?? true) this.#parent = watchParent(() => void this.shutdown());
  }

  /** Runs before the process leaves. What takes longer than 300 ms is not waited for. */
  onShutdown(hook: () => void | Promise<void>): Disposable {
    this.#hooks.add(hook);
    return disposable(() => void this.#hooks.delete(hook));
  }

  /** What `shutdown()` waits for first, for at most ten seconds: calls that are under way. */
  drainWith(drain: () => Promise<void>): void {
    this.#drain = drain;
  }

  /** Ends everything and exits. Calling it again changes nothing. */
  async shutdown(code = 0): Promise<void> {
    if (this.#leaving) return;
    this.#leaving = true;
    if (this.#drain !== undefined) {
      await within(this.#drain().catch(ignore), { milliseconds: DRAIN_MS });
    }
    setTimeout(() => process.exit(code), DEADLINE_MS);
    await Promise.all([this.#runHooks(), this.children.end()]);
    process.exit(code);
  }

  /** Stops guarding; the process then ends as any other does. */
  dispose(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    process.off('exit', this.#onExit);
    process.stderr.off('error', ignore);
    this.#parent?.[Symbol.dispose]();
    this.#hooks.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  readonly #onSignal = (): void => {
    // A second signal ends the process at once.
    if (this.#leaving) process.exit(0);
    void this.shutdown();
  };

  readonly #onExit = (): void => {
    this.children.kill();
  };

  async #runHooks(): Promise<void> {
    const hooks = [...this.#hooks].map(async (hook) => hook());
    await within(Promise.allSettled(hooks), { milliseconds: HOOKS_MS });
  }
}

function ignore(): void {
  // See the constructor.
}
