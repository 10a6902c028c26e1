import type { Failure, Outcome } from '../../sources/answer.js';
import type {
  AskCause,
  Asking,
  AskingLimits,
  HandedAnswer,
  OpenRequest,
  OwedRequest,
} from './asking-state.js';
import { freshTime, maySend, mustWait, neverAsking, withDuration } from './asking-state.js';
import type { ClientState } from '../../sources/client-state.js';

/** Everything that can happen to the question "which roots does the client give?". */
export type AskingEvent =
  | { readonly type: 'declared'; readonly roots: boolean }
  | { readonly type: 'initialised' }
  /** The client says that its list changed. */
  | { readonly type: 'notified' }
  /** Someone on our side no longer trusts the answer. */
  | { readonly type: 'invalidated' }
  /** A call needs roots. */
  | { readonly type: 'wanted' }
  | { readonly type: 'answered'; readonly generation: number; readonly outcome: Outcome }
  /** Another workspace knew more. */
  | { readonly type: 'handed'; readonly answer: HandedAnswer }
  /** The roots of an answer were looked up on the disk. */
  | { readonly type: 'read'; readonly generation: number; readonly empty: boolean }
  /** They could not be looked up. */
  | { readonly type: 'unreadable'; readonly generation: number; readonly detail: string }
  /** The call that carried a request went away. */
  | { readonly type: 'withdrawn'; readonly generation: number }
  | { readonly type: 'tick' }
  | { readonly type: 'disposed' };

/**
 * Why a question for roots failed: answered with an error, not answered in time, answered with no list of roots, the
 * way to the client was gone, or the roots could not be looked up.
 */
export type FailureKind = 'refused' | 'silent' | 'malformed' | 'lost' | 'unreadable';

/** What the owner of the state must do, in order. */
export type AskingEffect =
  | { readonly type: 'ask'; readonly generation: number; readonly cause: AskCause }
  | { readonly type: 'abort'; readonly generation: number }
  | { readonly type: 'read'; readonly generation: number; readonly entries: readonly unknown[] }
  | {
      readonly type: 'apply';
      readonly generation: number;
      readonly sentAt: number;
      readonly changedAt: number | undefined;
      readonly disputed: boolean;
    }
  | {
      readonly type: 'fail';
      readonly generation: number;
      readonly kind: FailureKind;
      readonly detail: string;
    }
  | { readonly type: 'drop'; readonly generation: number }
  | { readonly type: 'coalesce' }
  /** Release the calls that wait now; later ones may wait again. */
  | { readonly type: 'release' };

export interface AskingStep {
  readonly state: Asking;
  readonly effects: readonly AskingEffect[];
}

/** The time, and whether a request could be sent now. */
export interface AskingContext {
  readonly now: number;
  readonly port: boolean;
  readonly limits: AskingLimits;
}

const METHOD_NOT_FOUND = -32601;
const AT_ONCE = Number.NEGATIVE_INFINITY;
const NEVER = Number.POSITIVE_INFINITY;

/** The whole asking logic as one pure function; the holder of the state performs the effects. */
export function step(before: Asking, event: AskingEvent, context: AskingContext): AskingStep {
  const effects: AskingEffect[] = [];
  const handled = keepOutdated(before, handle(before, event, context, effects));
  const sent = sendOwed(handled, context, effects);
  return { state: settleWaiting(sent, event, context), effects };
}

function handle(state: Asking, event: AskingEvent, context: AskingContext, effects: AskingEffect[]): Asking {
  switch (event.type) {
    case 'declared':
      return event.roots ? { ...state, support: 'declared' } : stop(state, 'unsupported', effects);
    case 'initialised':
      return { ...state, initialised: true, silent: false };
    case 'notified':
      return notified(state, context, effects);
    case 'invalidated':
      return invalidated(state);
    case 'wanted':
      return wanted(state, context);
    case 'answered':
      return answered(state, event.generation, event.outcome, context, effects);
    case 'handed':
      return handed(state, event.answer, context, effects);
    case 'read':
      return read(state, event.generation, event.empty, context, effects);
    case 'unreadable':
      return unreadable(state, event.generation, event.detail, context, effects);
    case 'withdrawn':
      return withdrawn(state, event.generation, context);
    case 'tick':
      return tick(state, context, effects);
    case 'disposed':
      return stop(state, state.client, effects);
  }
}

function stop(state: Asking, client: ClientState, effects: AskingEffect[]): Asking {
  if (state.open !== undefined) effects.push({ type: 'abort', generation: state.generation });
  return { ...neverAsking, client, generation: state.generation };
}

function notified(state: Asking, context: AskingContext, effects: AskingEffect[]): Asking {
  if (state.support === 'none') return state;
  if (state.owed?.cause === 'change' || state.owed?.cause === 'start') {
    effects.push({ type: 'coalesce' });
    return { ...state, silent: false };
  }
  const notBefore = state.lastChangeAskedAt + context.limits.spacing;
  return { ...state, silent: false, owed: { cause: 'change', since: context.now, notBefore } };
}

function invalidated(state: Asking): Asking {
  if (state.support === 'none') return state;
  const open = state.open && { ...state.open, outdated: true };
  return { ...state, freshUntil: AT_ONCE, open };
}

/** The answer to an outdated request is never fresh. */
function keepOutdated(before: Asking, after: Asking): Asking {
  const isOutdated = before.open?.outdated === true && before.generation === after.generation;
  return isOutdated && after.support !== 'none' ? { ...after, freshUntil: AT_ONCE } : after;
}

function wanted(state: Asking, context: AskingContext): Asking {
  const asksAnyway = state.owed !== undefined && state.owed.cause !== 'silence';
  const mayOwe = maySend(state) || state.open?.outdated === true;
  if (asksAnyway || !mayOwe || context.now < state.freshUntil) return state;
  return { ...state, owed: { cause: 'stale', since: context.now, notBefore: AT_ONCE } };
}

function answered(
  state: Asking,
  generation: number,
  outcome: Outcome,
  context: AskingContext,
  effects: AskingEffect[],
): Asking {
  if (generation !== state.generation || state.open === undefined || state.open.reading) {
    effects.push({ type: 'drop', generation });
    return state;
  }
  if (outcome.kind !== 'list') return failed(state, outcome, context, effects);
  effects.push({ type: 'read', generation, entries: outcome.entries });
  const open = { ...state.open, since: context.now, reading: true, overdue: false };
  return { ...state, open, silent: false };
}

function failed(state: Asking, failure: Failure, context: AskingContext, effects: AskingEffect[]): Asking {
  const { now, limits } = context;
  const { generation } = state;
  const closed: Asking = { ...state, open: undefined, silent: false };
  switch (failure.kind) {
    case 'malformed':
      effects.push({ type: 'fail', generation, kind: 'malformed', detail: failure.detail });
      return { ...closed, client: 'malformed', freshUntil: now + limits.freshFor };
    case 'refused':
      effects.push({ type: 'fail', generation, kind: 'refused', detail: `error ${failure.code}` });
      return isEarlyRefusal(state, failure.code, context)
        ? retryLater(closed, context)
        : // Asked again only after a notification, or when someone on our side insists.
          { ...closed, client: 'refused', freshUntil: NEVER };
    case 'lost':
      effects.push({ type: 'fail', generation, kind: 'lost', detail: failure.detail });
      return isHeardSince(state) ? closed : fallSilent({ ...closed, lost: true }, now, context);
  }
}

function isEarlyRefusal(state: Asking, code: number, { now, limits }: AskingContext): boolean {
  const since = now - (state.firstAskedAt ?? AT_ONCE);
  return code === METHOD_NOT_FOUND && !state.retried && since <= limits.retryWithin;
}

function retryLater(state: Asking, { now, limits }: AskingContext): Asking {
  const retry: OwedRequest = { cause: 'retry', since: now, notBefore: now + limits.retryAfter };
  const urgent = keepUrgent(state.owed);
  // A client that just answered "method not found" needs the pause, even if it announced a change in the meantime.
  const owed = urgent && { ...urgent, notBefore: Math.max(urgent.notBefore, retry.notBefore) };
  return { ...state, retried: true, owed: owed ?? retry };
}

function fallSilent(state: Asking, since: number, { limits }: AskingContext): Asking {
  const later: OwedRequest = { cause: 'silence', since, notBefore: since + limits.askSilentAfter };
  return {
    ...state,
    client: 'silent',
    silent: true,
    freshUntil: NEVER,
    owed: keepUrgent(state.owed) ?? later,
  };
}

function keepUrgent(owed: OwedRequest | undefined): OwedRequest | undefined {
  return owed?.cause === 'silence' ? undefined : owed;
}

function handed(
  state: Asking,
  answer: HandedAnswer,
  context: AskingContext,
  effects: AskingEffect[],
): Asking {
  const { entries, failure } = answer;
  if (state.client === 'ignored') return state;
  if (state.open !== undefined) effects.push({ type: 'abort', generation: state.generation });
  const generation = state.generation + 1;
  const closed: Asking = { ...state, generation, open: undefined, owed: undefined, silent: false };
  if (entries === undefined) {
    return failure === undefined ? closed : failed(closed, failure, context, effects);
  }
  effects.push({ type: 'read', generation, entries });
  const open = { ...opened(context.now), changedAt: undefined, reading: true, handed: answer };
  return { ...closed, open };
}

function read(
  state: Asking,
  generation: number,
  empty: boolean,
  context: AskingContext,
  effects: AskingEffect[],
): Asking {
  if (generation !== state.generation || state.open?.reading !== true) {
    effects.push({ type: 'drop', generation });
    return state;
  }
  const { sentAt, changedAt, handed: answer } = state.open;
  const asked = answer === undefined;
  // Thousands of roots take longer to read than to send, and that is part of what asking costs.
  const durations = asked ? withDuration(state.durations, context.now - sentAt) : state.durations;
  effects.push({ type: 'apply', generation, sentAt, changedAt, disputed: answer?.disputed === true });
  const applied: Asking = {
    ...state,
    open: undefined,
    silent: false,
    client: empty ? 'empty' : 'answered',
    durations,
    freshUntil: context.now + (asked ? freshTime(durations, context.limits) : context.limits.freshFor),
  };
  // In one step, so that nothing the client said meanwhile is lost in between.
  return answer?.failure === undefined ? applied : failed(applied, answer.failure, context, effects);
}

function unreadable(
  state: Asking,
  generation: number,
  detail: string,
  { now, limits }: AskingContext,
  effects: AskingEffect[],
): Asking {
  if (generation !== state.generation || state.open?.reading !== true) return state;
  effects.push({ type: 'fail', generation, kind: 'unreadable', detail });
  return { ...state, open: undefined, client: 'malformed', freshUntil: now + limits.freshFor };
}

function withdrawn(state: Asking, generation: number, { now }: AskingContext): Asking {
  if (generation !== state.generation || state.open === undefined || state.open.reading) return state;
  const again: OwedRequest = { cause: 'stale', since: now, notBefore: AT_ONCE };
  return { ...state, open: { ...state.open, overdue: true }, owed: keepUrgent(state.owed) ?? again };
}

function tick(state: Asking, context: AskingContext, effects: AskingEffect[]): Asking {
  return tickWaiting(tickOpen(state, context, effects), context, effects);
}

function tickOpen(state: Asking, context: AskingContext, effects: AskingEffect[]): Asking {
  const { open, generation } = state;
  if (open === undefined) return state;
  const { now, limits } = context;
  if (now >= open.since + limits.answerTimeout) {
    effects.push({ type: 'abort', generation });
    if (!open.reading) return { ...state, open: undefined };
    return unreadable(state, generation, `not read within ${limits.answerTimeout} ms`, context, effects);
  }
  if (open.overdue || now < open.since + limits.readyTimeout) return state;
  const overdue: Asking = { ...state, open: { ...open, overdue: true } };
  // The client did its part: it is the disk that is slow.
  if (open.reading) return { ...overdue, freshUntil: now + limits.freshFor };
  effects.push({
    type: 'fail',
    generation,
    kind: 'silent',
    detail: `no answer within ${limits.readyTimeout} ms`,
  });
  return isHeardSince(state) ? overdue : fallSilent({ ...overdue, lost: false }, open.since, context);
}

/** A notification that came after the newest request shows that the client is alive; the request it caused goes out. */
function isHeardSince({ owed }: Asking): boolean {
  return owed?.cause === 'change';
}

function tickWaiting(state: Asking, { now }: AskingContext, effects: AskingEffect[]): Asking {
  if (state.waitUntil === undefined || now < state.waitUntil) return state;
  effects.push({ type: 'release' });
  // If no request is open only because the next one is postponed, the client is not silent.
  const neverGotReady = !state.initialised || state.support === 'unknown';
  return { ...state, waitUntil: undefined, silent: state.silent || neverGotReady };
}

function sendOwed(state: Asking, { now, port }: AskingContext, effects: AskingEffect[]): Asking {
  const { owed } = state;
  if (owed === undefined || !port || !maySend(state) || now < owed.notBefore) return state;
  if (state.open !== undefined) effects.push({ type: 'abort', generation: state.generation });
  const generation = state.generation + 1;
  effects.push({ type: 'ask', generation, cause: owed.cause });
  const isChange = owed.cause === 'change';
  return {
    ...state,
    generation,
    open: { ...opened(now), changedAt: isChange ? owed.since : undefined },
    owed: undefined,
    client: state.client === 'unasked' ? 'pending' : state.client,
    firstAskedAt: state.firstAskedAt ?? now,
    lastChangeAskedAt: isChange ? now : state.lastChangeAskedAt,
  };
}

function opened(now: number): Omit<OpenRequest, 'changedAt'> {
  return { sentAt: now, since: now, reading: false, overdue: false, outdated: false, handed: undefined };
}

function settleWaiting(state: Asking, event: AskingEvent, { now, port, limits }: AskingContext): Asking {
  if (!mustWait(state, port)) {
    return state.waitUntil === undefined ? state : { ...state, waitUntil: undefined };
  }
  if (event.type !== 'wanted' || state.waitUntil !== undefined) return state;
  return { ...state, waitUntil: now + limits.readyTimeout };
}
