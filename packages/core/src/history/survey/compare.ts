import type { Scope } from '../../scope/scope.js';
import { ABSENT, type EntryState, type FileState, type PutStep } from '../journal/entry-state.js';
import { isSameSighting, type Sighting } from './sightings.js';

export interface CompareOptions {
  readonly createdAreKnown: boolean;
  readonly removedAreKnown: boolean;
  /** A file changed after this is compared by content, though it looks the same. */
  readonly doubtful: number;
  readonly formerState: (path: string, sighting: Sighting) => FileState;
  readonly scope: Scope;
}

type Seen = ReadonlyMap<string, Sighting>;

/** The steps from one look to the next, in an order in which they could have been made. */
export async function compareSightings(
  before: Seen,
  after: Seen,
  options: CompareOptions,
): Promise<readonly PutStep[]> {
  const removed: PutStep[] = [];
  const created: PutStep[] = [];
  const changed: PutStep[] = [];
  for (const [path, old] of before) {
    const now = after.get(path);
    if (now === undefined) {
      if (options.removedAreKnown)
        removed.push({ path, before: stateBefore(path, old, options), after: ABSENT });
    } else {
      const former = stateBefore(path, old, options);
      if (isSameSighting(old, now) && !isDoubtful(old, former, options)) continue;
      const step = { path, before: former, after: await stateNow(path, now, options) };
      if (!isSameState(step.before, step.after)) changed.push(step);
    }
  }
  for (const [path, now] of after) {
    if (before.has(path) || !options.createdAreKnown) continue;
    created.push({ path, before: ABSENT, after: await stateNow(path, now, options) });
  }
  // Entries are removed before their folder, and made after it.
  removed.sort((one, other) => other.path.length - one.path.length);
  created.sort((one, other) => one.path.length - other.path.length);
  return [...removed, ...created, ...changed];
}

/** It looks the same, but its content can and must be compared to be sure. */
function isDoubtful(old: Sighting, former: EntryState, { doubtful }: CompareOptions): boolean {
  return former.kind === 'file' && former.hash !== undefined && old.modifiedMs >= doubtful;
}

function stateBefore(path: string, sighting: Sighting, { formerState }: CompareOptions): EntryState {
  if (sighting.kind === 'directory') return { kind: 'directory', mode: sighting.mode };
  if (sighting.kind === 'link') return { kind: 'link', target: sighting.target ?? '' };
  return formerState(path, sighting);
}

async function stateNow(path: string, sighting: Sighting, { scope }: CompareOptions): Promise<EntryState> {
  const { kind, size, mode, target } = sighting;
  if (kind === 'directory') return { kind, mode };
  if (kind === 'link') return { kind, target: target ?? '' };
  try {
    const entry = await scope.describe(path);
    return entry.kind === 'file' ? entry : { kind: 'file', size, mode };
  } catch {
    return { kind: 'file', size, mode };
  }
}

function isSameState(one: EntryState, other: EntryState): boolean {
  if (one.kind === 'file' && other.kind === 'file') {
    return one.hash !== undefined && one.hash === other.hash && one.mode === other.mode;
  }
  return JSON.stringify(one) === JSON.stringify(other);
}
