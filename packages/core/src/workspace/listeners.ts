import type { Disposable } from '../disposable.js';
import { disposable } from '../disposable.js';
import type { Logger } from '../logger.js';
import type { WorkspaceChange } from './change.js';

/** Told of each change, in order; see `Workspace.onDidChange()`. */
export type ChangeListener = (change: WorkspaceChange) => void;

/** Calls listeners in the order they came. One that throws is logged and does not stop the others. */
export class Listeners {
  readonly #entries = new Set<{ readonly listener: ChangeListener }>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(listener: ChangeListener): Disposable {
    const entry = { listener };
    this.#entries.add(entry);
    return disposable(() => this.#entries.delete(entry));
  }

  fire(change: WorkspaceChange): void {
    for (const entry of Array.from(this.#entries)) {
      if (!this.#entries.has(entry)) continue;
      try {
        entry.listener(change);
      } catch (error) {
        // The error may name a path of the client, which must not show above debug.
        this.#log.warn('change listener failed');
        this.#log.debug('change listener failed', { error: String(error) });
      }
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
