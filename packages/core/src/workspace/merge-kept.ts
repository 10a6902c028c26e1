import { containsPath } from '../uri/contains-path.js';
import { hostPathStyle } from '../uri/path-style.js';
import { readFileUri } from '../uri/read-file-uri.js';
import type { KeptWorkspace } from './kept-workspace.js';

/** The part that only the client decides. */
type Answer = Pick<KeptWorkspace, 'client' | 'roots' | 'hasGiven' | 'disputed' | 'change' | 'outdated'>;

/**
 * What two workspaces of one client know together that were the same at `since`. Each one's own changes count. Where
 * the client answered both, it cannot be known whom it told last: then a root counts only if both have it, no other
 * source takes over, and the client is to be asked again. `change` names that. A question that failed takes nothing
 * back. Nothing that the client took back from one of them comes back.
 */
export function mergeKept(
  since: KeptWorkspace,
  ours: KeptWorkspace,
  theirs: KeptWorkspace,
  change: string,
): KeptWorkspace {
  const consents = mergeConsents(since, ours, theirs);
  const { project } = isEqual(ours.project, since.project) ? theirs : ours;
  return {
    ...mergeAnswers(since, ours, theirs, change),
    ...(consents.length > 0 && { consents }),
    ...(project !== undefined && { project }),
  };
}

/** Whether both know the same of the client. */
export function isSameAnswer(one: KeptWorkspace, other: KeptWorkspace): boolean {
  return isEqual(answerOf(one), answerOf(other));
}

function mergeAnswers(
  since: KeptWorkspace,
  ours: KeptWorkspace,
  theirs: KeptWorkspace,
  change: string,
): Answer {
  if (isSameAnswer(ours, since) || isSameAnswer(ours, theirs)) return answerOf(theirs);
  if (isSameAnswer(theirs, since)) return answerOf(ours);
  const isOutdated = ours.outdated === true || theirs.outdated === true;
  const [told, other] = isTold(since, ours) ? [ours, theirs] : [theirs, ours];
  if (isTold(since, other)) return { ...mergeRoots(ours, theirs), change, outdated: true };
  // What the other one heard may be newer than the answer, though nobody answered its question.
  const mayBeOld = isTold(since, told) && other.change !== since.change;
  return { ...listOf(told), change, ...((isOutdated || mayBeOld) && { outdated: true }) };
}

/** Whether the client answered a workspace with a list after `since`, which later questions that failed do not undo. */
function isTold(since: KeptWorkspace, kept: KeptWorkspace): boolean {
  if (!isEqual(givenIn(kept), givenIn(since))) return true;
  if (!isAnswer(kept.client)) return false;
  return !isAnswer(since.client) || (kept.change !== since.change && kept.outdated !== true);
}

function isAnswer(client: KeptWorkspace['client']): boolean {
  return client === 'answered' || client === 'empty';
}

/** What the client told both. */
function mergeRoots(ours: KeptWorkspace, theirs: KeptWorkspace): Answer {
  const known = urisOf(ours);
  const roots = theirs.roots?.filter(({ uri }) => known.has(uri)) ?? [];
  const common = urisOf({ roots });
  const isSame = known.size === common.size && urisOf(theirs).size === common.size;
  return {
    ...(roots.length > 0 ? { client: 'answered', roots } : { client: 'empty' }),
    ...((ours.hasGiven === true || theirs.hasGiven === true) && { hasGiven: true }),
    // Also where roots are left: they may not be valid, and then the roots of the operator would stand in for them.
    ...((!isSame || ours.disputed === true || theirs.disputed === true) && { disputed: true }),
  };
}

function mergeConsents(since: KeptWorkspace, ours: KeptWorkspace, theirs: KeptWorkspace): readonly string[] {
  const before = new Set(since.consents);
  const [mine, other] = [new Set(ours.consents), new Set(theirs.consents)];
  const kept = [...other].filter((path) => before.has(path) && mine.has(path));
  const added = [
    ...[...other].filter((path) => !before.has(path) && (mine.has(path) || survives(path, since, ours))),
    ...[...mine].filter((path) => !before.has(path) && !other.has(path) && survives(path, since, theirs)),
  ];
  return [...kept, ...added];
}

/** Whether a place that the user agreed to lies apart from what the client took back from another workspace. */
function survives(path: string, since: KeptWorkspace, elsewhere: KeptWorkspace): boolean {
  if (!isTold(since, elsewhere)) return true;
  if (elsewhere.roots === undefined && elsewhere.hasGiven === true) return false;
  const left = urisOf(elsewhere);
  return !(since.roots ?? []).some(({ uri }) => !left.has(uri) && overlaps(uri, path));
}

function overlaps(uri: string, path: string): boolean {
  const read = readFileUri(uri, hostPathStyle);
  if (!read.ok) return false;
  return containsPath(read.path, path, hostPathStyle) || containsPath(path, read.path, hostPathStyle);
}

function answerOf(kept: KeptWorkspace): Answer {
  const { change, outdated } = kept;
  return {
    ...listOf(kept),
    ...(change !== undefined && { change }),
    ...(outdated === true && { outdated }),
  };
}

/** How the last question ended, and what the client has given. */
function listOf(kept: KeptWorkspace): Answer {
  return { ...(kept.client !== undefined && { client: kept.client }), ...givenIn(kept) };
}

function givenIn({ roots, hasGiven, disputed }: KeptWorkspace): Answer {
  return {
    ...(roots !== undefined && { roots }),
    ...(hasGiven === true && { hasGiven }),
    ...(disputed === true && { disputed }),
  };
}

function urisOf({ roots = [] }: KeptWorkspace): ReadonlySet<string> {
  return new Set(roots.map(({ uri }) => uri));
}

/** Of plain data whose keys come in the same order. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
