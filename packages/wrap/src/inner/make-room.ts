/** What a principal has open. */
export interface Held {
  readonly principal: string;
  /** When its last request began or ended. */
  readonly usedAt: number;
  readonly isBusy: boolean;
}

/** Why a call under way fails. */
export const NO_ROOM = 'its server was ended to make room for another client';
export const TAKEN_AWAY = 'the operator took a folder away while the call was under way';

/** With one less, ending one for the other would only swap their places, again and again. */
const MIN_LEAD = 2;

/**
 * Which one to end where there is no room for another of this principal: the one that was idle longest, first of its
 * own, then of anybody. Where none is idle, one of the principal that has most, so that nobody can keep others out.
 * Undefined where the newcomer has about as many itself.
 */
export function chooseToEnd<Each extends Held>(held: Iterable<Each>, principal: string): Each | undefined {
  const all = [...held].sort((one, other) => one.usedAt - other.usedAt);
  const idle = all.filter(({ isBusy }) => !isBusy);
  return idle.find((each) => each.principal === principal) ?? idle[0] ?? ofGreatest(all, principal);
}

function ofGreatest<Each extends Held>(all: readonly Each[], principal: string): Each | undefined {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(each.principal, (counts.get(each.principal) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  if (most - (counts.get(principal) ?? 0) < MIN_LEAD) return undefined;
  return all.find((each) => counts.get(each.principal) === most);
}
