import type { Rejection, Root } from '../roots/root.js';
import type { ClientState } from '../sources/client-state.js';
import type { Decision, Said } from '../sources/precedence.js';
import { decide } from '../sources/precedence.js';
import type { TraceEntry } from '../sources/trace.js';
import { traceOf } from '../sources/trace.js';

/** The frozen outcome of asking the sources. */
export interface Snapshot {
  /** Grows by one on every change of the roots. */
  readonly epoch: number;
  readonly roots: readonly Root[];
  readonly client: ClientState;
  /** What was declared and does not count, in the order of the sources. */
  readonly rejected: readonly Rejection[];
  /** What every source said, strongest first. */
  readonly trace: readonly TraceEntry[];
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
}

/** Trace and rejections are made when someone looks: most snapshots are never explained, and thousands may be alive. */
class TakenSnapshot implements Snapshot {
  readonly epoch: number;
  readonly roots: readonly Root[];
  readonly takenAt: number;
  readonly #said: Said;
  readonly #decision: Decision;
  #trace: readonly TraceEntry[] | undefined;

  constructor(said: Said, decision: Decision, epoch: number, takenAt: number) {
    this.epoch = epoch;
    this.roots = decision.roots;
    this.takenAt = takenAt;
    this.#said = said;
    this.#decision = decision;
    Object.freeze(this);
  }

  get client(): ClientState {
    return this.#said.client.state;
  }

  get rejected(): readonly Rejection[] {
    const { sources, handle, client, request } = this.#said;
    const statements = [handle, client.given, request, ...sources.operators, ...sources.hints];
    return Object.freeze(statements.flatMap(({ rejected }) => rejected));
  }

  get trace(): readonly TraceEntry[] {
    this.#trace ??= Object.freeze(traceOf(this.#said, this.#decision).map((entry) => Object.freeze(entry)));
    return this.#trace;
  }

  toJSON(): Snapshot {
    const { epoch, roots, client, rejected, trace, takenAt } = this;
    return { epoch, roots, client, rejected, trace, takenAt };
  }
}

/** `epoch` is that of the roots found; the caller knows whether they differ from those before. */
export function takeSnapshot(
  said: Said,
  takenAt: number,
  epochOf: (roots: readonly Root[]) => number,
): Snapshot {
  const decision = decide(said);
  // Scopes and projects are made from these objects, so nobody may change one under their feet.
  for (const root of decision.roots) Object.freeze(root);
  Object.freeze(decision.roots);
  return new TakenSnapshot(said, decision, epochOf(decision.roots), takenAt);
}

/** The first directory root: where relative things happen. */
export function primaryDirectory(snapshot: Snapshot): string | undefined {
  return snapshot.roots.find((root) => root.kind === 'directory')?.path;
}
