import type { Disposable } from '../disposable.js';
import { disposable } from '../disposable.js';
import type { Logger } from '../logger.js';
import type { Project } from '../project/project.js';
import type { WorkspaceChange } from './change.js';

/** Told of each change, in order; see `Workspace.onDidChange()`. */
export type ChangeListener = (change: WorkspaceChange) => void;

/** Told of each project that is chosen; see `Workspace.onDidChooseProject()`. */
export type ProjectListener = (project: Project) => void;

/** Calls listeners in the order they came. One that throws is logged and does not stop the others. */
export class Listeners<Event> {
  readonly #entries = new Set<{ readonly listener: (event: Event) => void }>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(listener: (event: Event) => void): Disposable {
    const entry = { listener };
    this.#entries.add(entry);
    return disposable(() => this.#entries.delete(entry));
  }

  fire(event: Event): void {
    for (const entry of Array.from(this.#entries)) {
      if (!this.#entries.has(entry)) continue;
      try {
        entry.listener(event);
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
