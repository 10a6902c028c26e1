import type { Fence } from '../roots/fence.js';
import type { Rejection, Root } from '../roots/root.js';
import type { ClientState } from '../sources/client-state.js';
import { countedHints, decide, type Decision, type SnapshotInput } from './precedence.js';
import { traceOf, type TraceEntry } from './trace.js';

/** The frozen outcome of asking the sources. */
export interface Snapshot {
  /** Grows by one on every change of the roots. */
  readonly epoch: number;
  readonly roots: readonly Root[];
  readonly client: ClientState;
  /** What was declared and does not count, in the order of the sources; without a process directory that was not needed. */
  readonly rejected: readonly Rejection[];
  /** What every source said, strongest first. */
  readonly trace: readonly TraceEntry[];
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
  /** What rules are tied to beside the roots; for `new Scope()`. */
  readonly fence: Fence;
}

/**
 * Trace and rejections are computed each time they are read: most snapshots are never explained, and there may be thousands,
 * in which a trace would take 800 bytes.
 */
class TakenSnapshot implements Snapshot {
  readonly epoch: number;
  readonly roots: readonly Root[];
  readonly takenAt: number;
  readonly #input: SnapshotInput;
  readonly #decision: Decision;

  constructor(input: SnapshotInput, decision: Decision, epoch: number, takenAt: number) {
    this.epoch = epoch;
    this.roots = decision.roots;
    this.takenAt = takenAt;
    this.#input = input;
    this.#decision = decision;
    Object.freeze(this);
  }

  static inputOf(snapshot: Snapshot): SnapshotInput | undefined {
    return snapshot instanceof TakenSnapshot ? snapshot.#input : undefined;
  }

  static namedIn(snapshot: Snapshot): string | undefined {
    return snapshot instanceof TakenSnapshot ? snapshot.#decision.named : primaryDirectory(snapshot);
  }

  get client(): ClientState {
    return this.#input.client.state;
  }

  get fence(): Fence {
    return this.#input.sources.fence;
  }

  get rejected(): readonly Rejection[] {
    const { sources, handle, client, request } = this.#input;
    const hints = countedHints(this.#input, this.#decision);
    const readings = [handle, client.given, request, ...sources.operators, ...hints];
    return Object.freeze(readings.flatMap(({ rejected }) => rejected));
  }

  get trace(): readonly TraceEntry[] {
    return Object.freeze(traceOf(this.#input, this.#decision).map((entry) => Object.freeze(entry)));
  }

  toJSON(): Omit<Snapshot, 'fence'> {
    const { epoch, roots, client, rejected, trace, takenAt } = this;
    return { epoch, roots, client, rejected, trace, takenAt };
  }
}

/** `epoch` computes the epoch for the roots found: only the caller knows whether they differ from the previous ones. */
export function takeSnapshot(
  input: SnapshotInput,
  takenAt: number,
  epochOf: (roots: readonly Root[]) => number,
): Snapshot {
  const decision = decide(input);
  // Scopes and projects are made from these objects, so they must not change later.
  for (const root of decision.roots) Object.freeze(root);
  Object.freeze(decision.roots);
  return new TakenSnapshot(input, decision, epochOf(decision.roots), takenAt);
}

/** What the sources said when a snapshot was taken; undefined for one that was not taken here. */
export function inputOf(snapshot: Snapshot): SnapshotInput | undefined {
  return TakenSnapshot.inputOf(snapshot);
}

/** The first directory root that was named, even if the operator took it away: a relative path means nothing else. */
export function namedDirectory(snapshot: Snapshot): string | undefined {
  return TakenSnapshot.namedIn(snapshot);
}

/** The first directory root, which relative paths start from. */
export function primaryDirectory(snapshot: Snapshot): string | undefined {
  return snapshot.roots.find((root) => root.kind === 'directory')?.path;
}
