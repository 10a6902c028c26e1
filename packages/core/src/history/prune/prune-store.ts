import { lstatSync, lutimesSync, renameSync, unlinkSync } from 'node:fs';
import { Pacer } from '../../platform/pacing.js';
import { ProcessLocks } from '../../platform/process-locks.js';
import { foldChanges, type Change } from '../journal/change.js';
import type { EntryState } from '../journal/entry-state.js';
import { inlineLength } from '../journal/inline-content.js';
import type { HistoryLimits } from '../journal/limits.js';
import type { ProjectJournal } from '../journal/project-journal.js';
import { COMPRESSED, HALF_WRITTEN } from '../store/content-store.js';
import { entriesOf, type OpenStore } from '../store/open-store.js';
import { createPrivate, usingDescriptor } from '../store/private-file.js';
import { compressContents } from './compress.js';
import { rewriteJournal } from './rewrite-journal.js';

/** What tidying up did. */
export interface PruneResult {
  /** Changes that are forgotten. */
  readonly changes: number;
  /** Bytes that are free again. */
  readonly bytes: number;
  /** Bytes that are still kept. */
  readonly kept: number;
}

export interface PruneOptions {
  readonly limits: HistoryLimits;
  readonly now: number;
  readonly signal: AbortSignal | undefined;
}

export const NOTHING_PRUNED: PruneResult = { changes: 0, bytes: 0, kept: 0 };

const STAMP = 'tidied';
const LOCK = 'tidying';
/** Tidying up takes longer than other work under a lock. */
const FOREIGN_LOCK_MS = 10 * 60 * 1000;
/** The approximate size of a step in its journal. */
const STEP_BYTES = 512;
const HOUR_MS = 60 * 60 * 1000;
/** A content is kept before the change that needs it is noted, so a younger one may still be needed. */
const GRACE_MS = HOUR_MS;

/** Whether the last pruning was more than an hour ago. */
export function isDue(store: OpenStore, now: number): boolean {
  const stamp = lstatSync(store.base.child(STAMP), { throwIfNoEntry: false });
  return stamp === undefined || now - stamp.mtimeMs > HOUR_MS;
}

/**
 * Forgets changes that are too old, then the oldest until the rest fits, and removes what no change needs any more.
 * Other processes may go on writing. Undefined while another process does so.
 */
export async function pruneStore(
  store: OpenStore,
  journals: readonly ProjectJournal[],
  options: PruneOptions,
): Promise<PruneResult | undefined> {
  const lock = new ProcessLocks(store.base.self, { foreignMs: FOREIGN_LOCK_MS }).tryTake(LOCK);
  if (lock === undefined) return undefined;
  try {
    return await pruneLocked(store, journals, options);
  } finally {
    lock.dispose();
  }
}

async function pruneLocked(
  store: OpenStore,
  journals: readonly ProjectJournal[],
  { limits, now, signal }: PruneOptions,
): Promise<PruneResult> {
  touchStamp(store, now);
  const pacer = new Pacer(signal);
  await compressContents(store.contentsDirectory, pacer, now - GRACE_MS);
  const sizes = await measure(store, pacer);
  const changes: Remembered[] = [];
  for (const journal of journals) {
    for await (const change of foldChanges(journal.journal.backwards(signal)))
      changes.push(remember(change, journal));
  }
  changes.sort((one, other) => other.at - one.at);
  const keep = new Map<ProjectJournal, Set<string>>(journals.map((journal) => [journal, new Set()]));
  const needed = new Set<string>();
  let bytes = 0;
  let forgotten = 0;
  let freed = 0;
  let full = false;
  for (const { id, at, journal, inline, ...change } of changes) {
    const names = change.names.filter((name) => !needed.has(name));
    const more = names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), change.lines + inline);
    full ||= bytes + more > limits.maxBytes;
    if (full || now - at > limits.maxAgeMs) {
      forgotten += 1;
      // Younger changes stay in the journal in any case.
      if (at <= now - GRACE_MS) freed += inline;
      continue;
    }
    bytes += more;
    for (const name of names) needed.add(name);
    keep.get(journal)?.add(id);
  }
  if (forgotten > 0) {
    for (const [journal, ids] of keep) await rewriteJournal(journal.directory, ids, now - GRACE_MS, signal);
  }
  freed += await sweep(store, needed, sizes, { pacer, before: now - GRACE_MS });
  return { changes: forgotten, bytes: freed, kept: bytes };
}

/** What is needed of a change here; its contents would not all fit into memory. */
interface Remembered {
  readonly id: string;
  readonly at: number;
  readonly journal: ProjectJournal;
  /** The contents and trees it needs in order to be taken back. */
  readonly names: readonly string[];
  /** The approximate size of its journal lines, without contents. */
  readonly lines: number;
  /** The size of the contents in its journal lines. */
  readonly inline: number;
}

function remember({ id, at, steps }: Change, journal: ProjectJournal): Remembered {
  const former = steps.map(({ step }) => step.before);
  return {
    id,
    at,
    journal,
    names: former.flatMap(nameOf),
    lines: steps.length * STEP_BYTES,
    inline: former.reduce((sum, state) => sum + inlineLength(state), 0),
  };
}

function touchStamp(store: OpenStore, now: number): void {
  const path = store.base.child(STAMP);
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined)
    usingDescriptor(createPrivate(path), () => undefined);
  lutimesSync(path, new Date(now), new Date(now));
}

function nameOf(state: EntryState): readonly string[] {
  if (state.kind === 'tree') return state.tree === undefined ? [] : [state.tree];
  if (inlineLength(state) > 0) return [];
  return state.kind === 'file' && state.hash !== undefined && state.lost === undefined ? [state.hash] : [];
}

/** How much each content and tree takes. */
async function measure(store: OpenStore, pacer: Pacer): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const name of entriesOf(store.contentsDirectory)) {
    if (pacer.due) await pacer.rest();
    const stats = lstatSync(store.contentsDirectory.child(name), { throwIfNoEntry: false });
    const content = name.endsWith(COMPRESSED) ? name.slice(0, -COMPRESSED.length) : name;
    if (stats !== undefined) sizes.set(content, (sizes.get(content) ?? 0) + stats.size);
  }
  for (const name of entriesOf(store.treesDirectory)) sizes.set(name, await store.trees.size(name, pacer));
  return sizes;
}

interface Sweeping {
  readonly pacer: Pacer;
  /** What was used after this time stays. */
  readonly before: number;
}

async function sweep(
  store: OpenStore,
  needed: ReadonlySet<string>,
  sizes: ReadonlyMap<string, number>,
  { pacer, before }: Sweeping,
): Promise<number> {
  let freed = 0;
  for (const name of entriesOf(store.contentsDirectory)) {
    if (pacer.due) await pacer.rest();
    const content = name.endsWith(COMPRESSED) ? name.slice(0, -COMPRESSED.length) : name;
    if (!needed.has(content)) freed += removeUnused(store.contentsDirectory.child(name), name, before);
  }
  for (const name of entriesOf(store.treesDirectory)) {
    if (pacer.due) await pacer.rest();
    if (needed.has(name) || store.trees.takenAt(name) > before) continue;
    store.trees.drop(name);
    freed += sizes.get(name) ?? 0;
  }
  return freed;
}

/** Renamed first: a process that needs it has either touched it by then, or writes it again. */
function removeUnused(path: string, name: string, before: number): number {
  if (isYoung(path, before)) return 0;
  const aside = `${path.slice(0, -name.length)}${HALF_WRITTEN}${name}`;
  renameSync(path, aside);
  const stats = lstatSync(aside);
  if (stats.mtimeMs > before) {
    renameSync(aside, path);
    return 0;
  }
  unlinkSync(aside);
  return stats.size;
}

function isYoung(path: string, before: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined || stats.mtimeMs > before;
}
