/** Older crashes do not count. */
const FORGIVEN_AFTER_MS = 10 * 60_000;
/** How long to wait after the first, second, third crash; then the last one every time. */
const DELAYS_MS: readonly number[] = [0, 1_000, 10_000, 120_000];

export interface Crash {
  readonly at: number;
  /** In words, without a full stop. */
  readonly reason: string;
}

export interface RestartState {
  readonly crashes: readonly Crash[];
}

export const noCrashes: RestartState = Object.freeze({ crashes: Object.freeze([]) });

export function afterCrash({ crashes }: RestartState, crash: Crash): RestartState {
  return { crashes: [...crashes.filter(({ at }) => crash.at - at < FORGIVEN_AFTER_MS), crash] };
}

/** When the server may be started again, and what to tell people until then; undefined when it may be started now. */
export function holdOff(
  { crashes }: RestartState,
  now: number,
): { readonly until: number; readonly reason: string } | undefined {
  const recent = crashes.filter(({ at }) => now - at < FORGIVEN_AFTER_MS);
  const last = recent.at(-1);
  if (last === undefined) return undefined;
  const delay = DELAYS_MS[Math.min(recent.length, DELAYS_MS.length) - 1] ?? 0;
  const until = last.at + delay;
  if (now >= until) return undefined;
  const times = recent.length === 1 ? 'once' : `${recent.length} times`;
  const seconds = Math.ceil((until - now) / 1000);
  return { until, reason: `it failed ${times}, last because ${last.reason}; next attempt in ${seconds} s` };
}
