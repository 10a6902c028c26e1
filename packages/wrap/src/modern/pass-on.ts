import { renamed, type OpenRequest, type Passage, type Way } from '../inner/long-answer.js';
import type { Outer } from '../session/outer.js';
import { addedFor } from '../wire/envelope.js';
import type { Call } from './call.js';

/** An answer of megabytes goes through as it comes, unless its client has to come back first. */
export function passOn(
  open: readonly OpenRequest[],
  calls: Map<string, Call>,
  outer: Outer,
  isModernInside: boolean,
): Way | undefined {
  const candidates = open.flatMap(({ id }) => calls.get(id) ?? []);
  const waiting = candidates.flatMap(({ outerId: id, method }) => (id === undefined ? [] : { id, method }));
  const added = isModernInside ? '' : addedFor(open.map(({ method }) => method));
  if (waiting.length !== open.length || added === undefined) return undefined;
  const way = outer.pass?.(waiting);
  if (way === undefined) return undefined;
  return { added, open: () => openPassage(way, candidates, calls) };
}

function openPassage(way: Way, candidates: readonly Call[], calls: Map<string, Call>): Passage | undefined {
  const passage = way.open();
  if (passage === undefined) return undefined;
  for (const call of candidates) call.isPassing = true;
  return renamed(passage, (id) => {
    for (const call of candidates) call.isPassing = false;
    const call = id === undefined ? undefined : calls.get(id);
    if (call !== undefined) calls.delete(call.inner);
    return call?.outerId;
  });
}
