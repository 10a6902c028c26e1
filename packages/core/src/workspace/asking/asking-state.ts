import type { Failure } from '../../sources/answer.js';
import type { ClientState } from '../../sources/client-state.js';

/** How long a workspace waits for its client, and how often it asks. All times in milliseconds. */
export interface AskingLimits {
  /** How long a call waits for an answer under way; also the age at which a request no longer holds back a newer one. */
  readonly readyTimeout: number;
  /** How long an answer is accepted. */
  readonly answerTimeout: number;
  /**
   * How long an answer is trusted at most. Notifications can get lost, so they alone are not enough. A client that
   * answers quickly is asked again sooner, since that costs little.
   */
  readonly freshFor: number;
  /** When a silent client is asked again, without anyone waiting. */
  readonly askSilentAfter: number;
  /** Least time between two requests caused by notifications. */
  readonly spacing: number;
  /** Some clients register their handlers late and answer "method not found" at first: the pause before the one retry… */
  readonly retryAfter: number;
  /** …and the time after the first request within which that error counts as early. */
  readonly retryWithin: number;
}

/** Why a request is sent: at the start, after a notification, because the answer is old, once more, or after silence. */
export type AskCause = 'start' | 'change' | 'stale' | 'retry' | 'silence';

/** A request that is sent as soon as possible. */
export interface OwedRequest {
  readonly cause: AskCause;
  readonly since: number;
  readonly notBefore: number;
}

/** What another workspace knew of the client. */
export interface HandedAnswer {
  /** The last list that counted; undefined if there was none. */
  readonly entries: readonly unknown[] | undefined;
  /** As in `ClientRoots`. */
  readonly disputed: boolean;
  /** How the question after that failed, if one did. */
  readonly failure: Failure | undefined;
}

/** The newest request, until its answer is applied or no longer accepted. Older ones do not count. */
export interface OpenRequest {
  readonly sentAt: number;
  /** When it was sent, or when its answer came. */
  readonly since: number;
  /** The answer came and its roots are being read from the disk. */
  readonly reading: boolean;
  /** It is older than `readyTimeout`, or the call that carried it is gone: nobody waits for it. */
  readonly overdue: boolean;
  /** When the notification came that caused it. */
  readonly changedAt: number | undefined;
  /** It was never sent: its answer came from another workspace, and says nothing about the cost of asking. */
  readonly handed: HandedAnswer | undefined;
  /** Someone on our side no longer trusts what it was sent for: its answer counts, and is stale at once. */
  readonly outdated: boolean;
}

export interface Asking {
  readonly support: 'unknown' | 'declared' | 'none';
  readonly initialised: boolean;
  readonly client: ClientState;
  /** Of the newest request. An answer with any other generation is dropped. */
  readonly generation: number;
  readonly open: OpenRequest | undefined;
  readonly owed: OwedRequest | undefined;
  /** A call waited for it without an answer, so no call waits again until it says something about roots. */
  readonly silent: boolean;
  /** Of a silent client: no time ran out, the request itself failed or its answer was missing. */
  readonly lost: boolean;
  /** Until then, only the client can give a reason to ask again. */
  readonly freshUntil: number;
  readonly firstAskedAt: number | undefined;
  readonly lastChangeAskedAt: number;
  readonly retried: boolean;
  /** How long the client took for its latest answers, in milliseconds. */
  readonly durations: readonly number[];
  /** When those who wait now stop waiting. */
  readonly waitUntil: number | undefined;
}

const AT_ONCE = Number.NEGATIVE_INFINITY;
const NEVER = Number.POSITIVE_INFINITY;

/** Shared by all workspaces: states are immutable. */
export const initialAsking: Asking = {
  support: 'unknown',
  initialised: false,
  client: 'unasked',
  generation: 0,
  open: undefined,
  owed: { cause: 'start', since: AT_ONCE, notBefore: AT_ONCE },
  silent: false,
  lost: false,
  freshUntil: AT_ONCE,
  firstAskedAt: undefined,
  lastChangeAskedAt: AT_ONCE,
  retried: false,
  durations: [],
  waitUntil: undefined,
};

/** For a client that is never asked. */
export const neverAsking: Asking = {
  ...initialAsking,
  support: 'none',
  owed: undefined,
  freshUntil: NEVER,
};

const ignoringClient: Asking = { ...neverAsking, client: 'ignored' };

export function firstState({ clientRoots }: { readonly clientRoots: string }): Asking {
  return clientRoots === 'ignore' ? ignoringClient : initialAsking;
}

/** The state for a client that will not say more. */
export function settledState({
  state,
  lost,
}: {
  readonly state: ClientState;
  readonly lost: boolean;
}): Asking {
  return { ...neverAsking, client: state, lost };
}

/** Asking again costs at most a hundredth of the time. */
const FRESH_FACTOR = 100;
const MIN_FRESH_MS = 250;
/** The shortest of so many answers tells what asking costs; the others were held up by something else. */
const MAX_DURATIONS = 5;
/** A client that is just starting is slower than usual. */
const MAX_FIRST_DURATION_MS = 50;

/** The durations with one more answer. */
export function withDuration(durations: readonly number[], took: number): readonly number[] {
  if (durations.length === 0) return [Math.min(took, MAX_FIRST_DURATION_MS)];
  return [...durations.slice(1 - MAX_DURATIONS), took];
}

/** How long an answer is fresh, which depends on how long asking takes. */
export function freshTime(durations: readonly number[], { freshFor }: AskingLimits): number {
  if (durations.length === 0) return freshFor;
  return Math.min(freshFor, Math.max(MIN_FRESH_MS, FRESH_FACTOR * Math.min(...durations)));
}

/** Whether a call should wait. `port`: a request could be sent now. */
export function mustWait(state: Asking, port: boolean): boolean {
  if (state.silent) return false;
  if (state.open !== undefined && !state.open.overdue) return true;
  return port && state.owed !== undefined && state.owed.cause !== 'silence';
}

/** Until when `ready()` has neither to ask nor to wait, so that it can answer from the snapshot. */
export function restsUntil(state: Asking): number {
  if (mustWait(state, true)) return AT_ONCE;
  return Math.min(state.freshUntil, state.owed?.notBefore ?? NEVER);
}

/** When the next `tick` is needed, if at all. */
export function wakeAt(state: Asking, port: boolean, limits: AskingLimits): number | undefined {
  const times: number[] = [];
  if (state.open !== undefined) {
    times.push(state.open.since + (state.open.overdue ? limits.answerTimeout : limits.readyTimeout));
  }
  if (state.owed !== undefined && port && maySend(state)) times.push(state.owed.notBefore);
  if (state.waitUntil !== undefined) times.push(state.waitUntil);
  return times.length === 0 ? undefined : Math.min(...times);
}

/**
 * Nothing is sent before the client is ready, or while an open request may still be answered soon, or while roots from
 * another workspace are looked up: they must count before a question can fail and keep "the previous roots".
 */
export function maySend({ support, initialised, open }: Asking): boolean {
  const isFree = open === undefined || (open.overdue && open.handed === undefined);
  return support === 'declared' && initialised && isFree;
}

/** Whether a question is due or under way whose answer would be newer than what is known. */
export function isAsking({ owed, open }: Asking): boolean {
  return (owed !== undefined && owed.cause !== 'silence') || (open !== undefined && !open.overdue);
}
