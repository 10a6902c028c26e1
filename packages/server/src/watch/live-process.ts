import type { OperatorLimits, Scope, Snapshot } from '@rootward/core';
import { disposable, Emitter } from '@rootward/core/platform';
import type { Disposable } from '@rootward/core';
import type { ChildRegistry } from '@rootward/mcp';
import type { History } from '@rootward/core/history';
import type { EventHub } from '../audit/event-hub.js';
import type { WaitingQuestions } from './waiting-questions.js';

/** What a session may touch, now or at its last call. */
interface SessionView {
  snapshot(): Snapshot;
  scope(): Scope;
  project(): { readonly name: string };
}

/** One connection while it lasts; on 2026-07-28, where there are none, one client that has called. */
export interface LiveSession {
  readonly id: string;
  readonly era: string;
  readonly since: number;
  readonly view: SessionView;
  /** Its name and version, once it has introduced itself. */
  readonly client: () => string;
  /** Told when its roots change. */
  readonly onDidChange?: ((listener: () => void) => Disposable) | undefined;
}

/** What a page may see and change of this process. */
export interface LiveProcess {
  readonly transport: string;
  readonly directory: string;
  readonly started: number;
  readonly events: EventHub;
  readonly limits: OperatorLimits;
  readonly sessions: LiveSessions;
  readonly questions: WaitingQuestions;
  readonly children: ChildRegistry;
  /** Undefined where the operator wants none. */
  readonly history: (() => History | Promise<History>) | undefined;
}

/** The connections of a process. */
export class LiveSessions {
  readonly #sessions = new Map<string, LiveSession>();
  readonly #changes = new Emitter();

  add(session: LiveSession): Disposable {
    this.#sessions.set(session.id, session);
    const watched = session.onDidChange?.(() => this.#changes.fire());
    this.#changes.fire();
    return disposable(() => {
      watched?.[Symbol.dispose]();
      if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
      this.#changes.fire();
    });
  }

  list(): readonly LiveSession[] {
    return [...this.#sessions.values()];
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changes.add(listener);
  }
}
