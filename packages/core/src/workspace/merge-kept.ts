import { containsPath } from '../uri/contains-path.js';
import { hostPathStyle } from '../uri/path-style.js';
import { readFileUri } from '../uri/read-file-uri.js';
import type { KeptWorkspace } from './kept-workspace.js';

/** The part that only the client decides. */
type Answer = Pick<KeptWorkspace, 'client' | 'roots' | 'hasGiven' | 'change' | 'outdated'>;

/**
 * What two workspaces of one client know together that were the same at `since`. Each one's own changes count. Where
 * both heard from the client, it cannot be known whom it told last: then a root counts only if both have it, and the
 * client is to be asked again. `change` names that. Nothing that the client took back from one of them comes back.
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
  const hasGiven = ours.hasGiven === true || theirs.hasGiven === true;
  return {
    ...mergeRoots(since, ours, theirs, hasGiven),
    ...(hasGiven && { hasGiven }),
    change,
    outdated: true,
  };
}

function mergeRoots(
  since: KeptWorkspace,
  ours: KeptWorkspace,
  theirs: KeptWorkspace,
  hasGiven: boolean,
): Answer {
  // One of them heard only that something changed.
  if (isSameList(ours, since)) return listOf(theirs);
  if (isSameList(theirs, since)) return listOf(ours);
  const known = urisOf(ours);
  const roots = theirs.roots?.filter(({ uri }) => known.has(uri)) ?? [];
  if (roots.length > 0) return { client: 'answered', roots };
  // A client that did not answer leaves less than one that has no roots.
  const failed = [ours.client, theirs.client].find((client) => client !== 'answered' && client !== 'empty');
  return { client: hasGiven || failed === undefined ? 'empty' : failed };
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
  if (isSameList(since, elsewhere)) return true;
  if (elsewhere.client === 'empty' && elsewhere.hasGiven === true) return false;
  const left = urisOf(elsewhere);
  return !(since.roots ?? []).some(({ uri }) => !left.has(uri) && overlaps(uri, path));
}

function overlaps(uri: string, path: string): boolean {
  const read = readFileUri(uri, hostPathStyle);
  if (!read.ok) return false;
  return containsPath(read.path, path, hostPathStyle) || containsPath(path, read.path, hostPathStyle);
}

function answerOf(kept: KeptWorkspace): Answer {
  const { hasGiven, change, outdated } = kept;
  return {
    ...listOf(kept),
    ...(hasGiven === true && { hasGiven }),
    ...(change !== undefined && { change }),
    ...(outdated === true && { outdated }),
  };
}

function listOf({ client, roots }: KeptWorkspace): Answer {
  return { ...(client !== undefined && { client }), ...(roots !== undefined && { roots }) };
}

function isSameList(one: KeptWorkspace, other: KeptWorkspace): boolean {
  return isEqual(listOf(one), listOf(other));
}

function urisOf({ roots = [] }: KeptWorkspace): ReadonlySet<string> {
  return new Set(roots.map(({ uri }) => uri));
}

/** Of plain data whose keys come in the same order. */
function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
