import type { FailureKind } from './asking.js';

/** What a workspace counted since it was made. */
export interface Stats {
  readonly requests: number;
  /** Answers that were applied. */
  readonly answers: number;
  readonly failures: Readonly<Record<FailureKind, number>>;
  readonly notifications: {
    readonly received: number;
    /** Those that needed no request of their own. */
    readonly coalesced: number;
  };
  /** Calls of `ready()` that could be answered from the snapshot, and those that asked or waited. */
  readonly cache: { readonly hits: number; readonly misses: number };
  /** Refused operations that `countRefusal()` was told of, by error code. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Milliseconds from a notification to its answer being applied, over the latest ones; undefined before the first. */
  readonly latency: { readonly last?: number; readonly p50?: number; readonly p95?: number };
}

/** Enough for stable percentiles, little enough to keep per workspace. */
const MAX_LATENCIES = 128;

/** Plain numbers, and lists only when they are needed: there may be thousands of workspaces. */
export class Counters {
  requests = 0;
  answers = 0;
  received = 0;
  coalesced = 0;
  hits = 0;
  misses = 0;
  #failures: Map<FailureKind, number> | undefined;
  #refusals: Map<string, number> | undefined;
  #latencies: number[] | undefined;
  #latest = 0;

  fail(kind: FailureKind): void {
    this.#failures ??= new Map();
    this.#failures.set(kind, (this.#failures.get(kind) ?? 0) + 1);
  }

  refuse(code: string): void {
    this.#refusals ??= new Map();
    this.#refusals.set(code, (this.#refusals.get(code) ?? 0) + 1);
  }

  applied(latency: number | undefined): void {
    this.answers += 1;
    if (latency === undefined) return;
    this.#latencies ??= [];
    this.#latest =
      this.#latencies.length < MAX_LATENCIES ? this.#latencies.length : (this.#latest + 1) % MAX_LATENCIES;
    this.#latencies[this.#latest] = latency;
  }

  stats(): Stats {
    return {
      requests: this.requests,
      answers: this.answers,
      failures: {
        refused: 0,
        silent: 0,
        malformed: 0,
        lost: 0,
        unreadable: 0,
        ...Object.fromEntries(this.#failures ?? []),
      },
      notifications: { received: this.received, coalesced: this.coalesced },
      cache: { hits: this.hits, misses: this.misses },
      refusals: Object.fromEntries(this.#refusals ?? []),
      latency: this.#summarise(),
    };
  }

  #summarise(): Stats['latency'] {
    const latencies = this.#latencies;
    const last = latencies?.[this.#latest];
    if (latencies === undefined || last === undefined) return {};
    const sorted = latencies.toSorted((a, b) => a - b);
    return { last, p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
  }
}

/** Nearest rank. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
