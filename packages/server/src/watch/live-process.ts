import type { OperatorLimit, OperatorLimits, Scope, Snapshot } from '@rootward/core';
import { disposable, Emitter } from '@rootward/core/platform';
import type { Disposable } from '@rootward/core';
import type { ChildRegistry, SeenCaller } from '@rootward/mcp';
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
  client(): string;
  /** Told when its roots change. */
  readonly onDidChange?: ((listener: () => void) => Disposable) | undefined;
}

/** Clients without connections are told apart by their names. */
export function modernSession(client: string): string {
  return `modern ${client}`;
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
  /** Each with what one part of the process has started. */
  readonly children: readonly ChildRegistry[];
  /** Undefined where the operator wants none. */
  readonly history: (() => History | Promise<History>) | undefined;
  /** What does not hold here, for people; undefined where everything does. */
  readonly caveat?: string | undefined;
  /** Throws where a limit could not be kept. */
  readonly checkLimit?: ((path: string, limit: OperatorLimit) => void) | undefined;
}

/** A caller, and when it called last. */
export interface LiveCaller extends Omit<SeenCaller, 'client'> {
  last: number;
}

/** The oldest are forgotten. */
const MAX_CALLERS = 50;

/** The connections of a process, and who calls over each. */
export class LiveSessions {
  /** A connection by itself, a client without one by its name. */
  readonly #sessions = new Map<LiveSession | string, LiveSession>();
  readonly #callers = new Map<string, Map<string, LiveCaller>>();
  readonly #changes = new Emitter();
  #lastCaller: { readonly id: string; readonly caller: LiveCaller } | undefined;

  /** Whether a page shows these sessions. */
  get watched(): boolean {
    return this.#changes.size > 0;
  }

  add(session: LiveSession): Disposable {
    const watched = session.onDidChange?.(() => this.noteChange());
    this.show(session);
    return disposable(() => {
      watched?.[Symbol.dispose]();
      this.remove(session);
    });
  }

  /** The same for a session that says itself when its roots change, and when it ends. */
  show(session: LiveSession): void {
    this.#sessions.set(session, session);
    this.noteChange();
  }

  noteChange(): void {
    this.#changes.fire();
  }

  remove(session: LiveSession): void {
    this.#sessions.delete(session);
    if (this.#callers.size > 0) this.#callers.delete(session.id);
    this.#lastCaller = undefined;
    this.noteChange();
  }

  /** Takes the place of a session that nothing announces. */
  update(session: LiveSession): void {
    const known = this.#sessions.get(session.id);
    this.#sessions.set(session.id, session);
    if (known?.view.snapshot() !== session.view.snapshot()) this.#changes.fire();
  }

  /** Costs nothing while nobody looks, and little where the same caller calls again. */
  noteCall(session: Pick<LiveSession, 'id'>, caller: SeenCaller): void {
    if (!this.watched) return;
    const { id } = session;
    const last = this.#lastCaller;
    if (last !== undefined && last.id === id && isSameCaller(last.caller, caller)) {
      last.caller.last = Date.now();
      return;
    }
    const { agent, directory, known, others } = caller;
    const callers = this.#callers.get(id) ?? new Map<string, LiveCaller>();
    this.#callers.set(id, callers);
    const key = JSON.stringify([agent, directory, known, others]);
    const isNew = !callers.delete(key);
    const seen = { agent, directory, known, others, last: Date.now() };
    callers.set(key, seen);
    this.#lastCaller = { id, caller: seen };
    for (const oldest of callers.keys()) {
      if (callers.size <= MAX_CALLERS) break;
      callers.delete(oldest);
    }
    if (isNew) this.#changes.fire();
  }

  list(): readonly LiveSession[] {
    return [...this.#sessions.values()];
  }

  /** Who called over a session, the last first. */
  callersOf(id: string): readonly LiveCaller[] {
    return [...(this.#callers.get(id)?.values() ?? [])].reverse();
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changes.add(listener);
  }
}

function isSameCaller(one: LiveCaller, other: SeenCaller): boolean {
  return (
    one.agent === other.agent &&
    one.directory === other.directory &&
    one.known === other.known &&
    one.others.length === 0 &&
    other.others.length === 0
  );
}
