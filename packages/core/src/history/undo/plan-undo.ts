import type { EntryDescription } from '../../scope/operations/entry-description.js';
import type { Scope } from '../../scope/scope.js';
import type { Change, PlacedStep } from '../journal/change.js';
import { isMove, pathsOf, type EntryState, type MoveStep, type PutStep } from '../journal/entry-state.js';
import { isKept } from '../journal/inline-content.js';
import { isWithin } from '../../scope/gate/child-path.js';
import type { OpenStore } from '../store/open-store.js';
import { Outlook } from './outlook.js';

/** One thing to do in order to take changes back. */
export type UndoAction =
  | { readonly kind: 'put'; readonly path: string; readonly state: EntryState; readonly was: EntryState }
  | { readonly kind: 'move'; readonly from: string; readonly path: string; readonly moved: EntryState };

/** Why a change cannot be taken back as it is. */
export interface Conflict {
  readonly path: string;
  readonly reason: 'changed-since' | 'not-kept';
  /** In words, after the path. */
  readonly state: string;
}

export interface UndoPlan {
  readonly actions: readonly UndoAction[];
  readonly conflicts: readonly Conflict[];
  /** Files that were not kept when their folder was removed. They cannot be restored. */
  readonly lost: readonly string[];
}

export interface PlanOptions {
  /** Only what is at or below this canonical path. */
  readonly path?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Works out how to take changes back, newest step first, on an outlook of the disk: nothing is touched. A step whose
 * path is already as it was before is left out, and so are the steps of a change that was cut off before them.
 */
export async function planUndo(
  changes: readonly Change[],
  scope: Scope,
  store: OpenStore,
  { path, signal }: PlanOptions,
): Promise<UndoPlan> {
  const planner = new Planner(scope, store, signal);
  for (const { step, isCutOff } of stepsNewestFirst(changes)) {
    if (path !== undefined && !pathsOf(step).some((each) => isWithin(each, path))) continue;
    signal?.throwIfAborted();
    if (isMove(step)) await planner.move(step);
    else await planner.put(step, isCutOff);
  }
  return planner;
}

/** Changes may have been made at the same time, so that their steps alternate. */
function stepsNewestFirst(
  changes: readonly Change[],
): readonly (PlacedStep & { readonly isCutOff: boolean })[] {
  return changes
    .toReversed()
    .flatMap(({ steps, complete }) => steps.map((step) => ({ ...step, isCutOff: !complete })))
    .toSorted((one, other) => one.at - other.at || one.position - other.position)
    .toReversed();
}

class Planner implements UndoPlan {
  readonly actions: UndoAction[] = [];
  readonly conflicts: Conflict[] = [];
  readonly lost: string[] = [];
  readonly #outlook: Outlook;
  readonly #store: OpenStore;
  readonly #signal: AbortSignal | undefined;

  constructor(scope: Scope, store: OpenStore, signal: AbortSignal | undefined) {
    this.#outlook = new Outlook(scope, store.trees);
    this.#store = store;
    this.#signal = signal;
  }

  async put({ path, before, after }: PutStep, isCutOff: boolean): Promise<void> {
    const current = await this.#outlook.at(path);
    // A folder is noted before it is removed, and nothing in it is removed before all of it is kept.
    if (isCutOff && current.kind === 'directory' && before.kind === 'tree' && !this.#isKept(path, before))
      return;
    if (!(await this.#matches(path, after, current))) {
      if (await this.#matches(path, before, current)) return;
      this.#changed(path);
    } else if (
      after.kind === 'directory' &&
      before.kind === 'absent' &&
      !(await this.#outlook.isEmpty(path))
    ) {
      this.conflicts.push({ path, reason: 'changed-since', state: 'it is no longer empty' });
    }
    await this.#put(path, before, after);
  }

  async move({ from, path, moved, before }: MoveStep): Promise<void> {
    const current = await this.#outlook.at(path);
    const origin = await this.#outlook.at(from);
    if (!isSameObject(moved, current) || origin.kind !== 'absent') {
      if (isSameObject(moved, origin) && (await this.#matches(path, before, current))) return;
      this.#changed(origin.kind !== 'absent' && isSameObject(moved, current) ? from : path);
    }
    this.actions.push({ kind: 'move', from: path, path: from, moved });
    await this.#outlook.move(path, from);
    if (before.kind !== 'absent') await this.#put(path, before, { kind: 'absent' });
  }

  async #put(path: string, state: EntryState, was: EntryState): Promise<void> {
    if (!this.#isKept(path, state)) {
      this.conflicts.push({
        path,
        reason: 'not-kept',
        state: 'what was there was not kept, or is no longer',
      });
    }
    if (state.kind === 'tree') for (const each of state.lost ?? []) this.lost.push(`${path}/${each}`);
    this.actions.push({ kind: 'put', path, state, was });
    await this.#outlook.put(path, state);
  }

  #isKept(path: string, state: EntryState): boolean {
    if (state.kind === 'other') return false;
    if (state.kind === 'file') return isKept(state, this.#store.contents);
    if (state.kind !== 'tree' || state.tree === undefined) return state.kind !== 'tree';
    // It comes back with an earlier action of the same plan.
    const returns = this.actions.some((action) => action.kind === 'put' && treeOf(action.was) === state.tree);
    return returns || this.#store.trees.has(state.tree) || path === '';
  }

  #changed(path: string): void {
    this.conflicts.push({ path, reason: 'changed-since', state: 'it was changed since' });
  }

  async #matches(path: string, expected: EntryState, current: EntryDescription): Promise<boolean> {
    if (expected.kind === 'tree') {
      if (current.kind !== 'directory' || expected.digest === undefined) return false;
      return this.#outlook.isTree(path, expected, this.#signal);
    }
    return isSameEntry(expected, current);
  }
}

/** Whether an entry is in a state. What is in a folder does not matter. */
export function isSameEntry(expected: EntryState, current: EntryDescription): boolean {
  switch (expected.kind) {
    case 'tree':
      return current.kind === 'directory';
    case 'directory':
      return current.kind === 'directory' && (expected.mode === undefined || expected.mode === current.mode);
    case 'file':
      return current.kind === 'file' && expected.mode === current.mode && isSameContent(expected, current);
    case 'link':
      return current.kind === 'link' && current.target === expected.target;
    case 'absent':
    case 'other':
      return current.kind === expected.kind;
  }
}

function treeOf(state: EntryState): string | undefined {
  return state.kind === 'tree' ? state.tree : undefined;
}

/** A folder that was moved may contain other files by now, which move with it. */
export function isSameObject(moved: EntryState, current: EntryDescription): boolean {
  if (moved.kind === 'file') return current.kind === 'file' && isSameContent(moved, current);
  if (moved.kind === 'link') return current.kind === 'link' && current.target === moved.target;
  return moved.kind === current.kind;
}

function isSameContent(
  expected: EntryState & { readonly kind: 'file' },
  current: EntryDescription & { readonly kind: 'file' },
): boolean {
  return expected.hash === undefined ? expected.size === current.size : expected.hash === current.hash;
}
