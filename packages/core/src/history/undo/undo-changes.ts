import { RootwardError } from '../../error.js';
import type { Scope } from '../../scope/scope.js';
import { quotePath } from '../../scope/gate/refusal.js';
import type { History } from '../history.js';
import type { Change } from '../journal/change.js';
import type { ChangeAbout } from '../journal/line.js';
import { applyUndo } from './apply-undo.js';
import { planUndo, type Conflict, type UndoAction, type UndoPlan } from './plan-undo.js';

/** How to take changes back. */
export interface UndoOptions {
  readonly about: ChangeAbout;
  /** Only what is at or below this canonical path. */
  readonly path?: string | undefined;
  /** Work out what would be done, and do nothing. */
  readonly dryRun?: boolean | undefined;
  /** Take changes back even if something was changed since. What is there then is kept, as with any change. */
  readonly force?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((files: number) => void) | undefined;
}

/** What an undo did, or would do. */
export interface UndoResult {
  /** The id of the undo, which is a change itself; undefined if nothing was done. */
  readonly id: string | undefined;
  /** The paths that are as they were before. */
  readonly restored: readonly string[];
  /** Files that were not kept when their folder was removed. They cannot be restored. */
  readonly lost: readonly string[];
}

const MAX_NAMED = 5;
const MAX_ATTEMPTS = 4;

/**
 * Undoes changes through the fence of this scope, all of them or none. Refused if something was changed since. An undo
 * is a change itself and can be undone.
 */
export async function undoChanges(
  history: History,
  scope: Scope,
  changes: readonly Change[],
  options: UndoOptions,
): Promise<UndoResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await undoOnce(history, scope, changes, options);
    } catch (error) {
      const isOvertaken = error instanceof RootwardError && error.code === 'changed-meanwhile';
      if (!isOvertaken || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Refused as `changed-meanwhile` if something changes between the plan and what it plans; nothing is changed then. */
async function undoOnce(
  history: History,
  scope: Scope,
  changes: readonly Change[],
  options: UndoOptions,
): Promise<UndoResult> {
  const { dryRun = false, force = false } = options;
  if (changes.length === 0) return { id: undefined, restored: [], lost: [] };
  const store = history.store();
  if (store === undefined) throw new RootwardError('unknown-change', 'Cannot undo: nothing was kept yet');
  const plan = await planUndo(changes, scope, store, options);
  refuse(plan.conflicts, force);
  const restored = touched(plan.actions);
  if (dryRun || plan.actions.length === 0) return { id: undefined, restored, lost: plan.lost };
  const about = { ...options.about, undoes: changes.map(({ id }) => id) };
  const recorder = history.change(about, scope.roots);
  const recordedScope = scope.recordedBy(recorder);
  const apply = {
    scope: recordedScope,
    recorder,
    store,
    force,
    onProgress: options.onProgress ?? (() => undefined),
  };
  const forget = scope.tally?.mark();
  try {
    await applyUndo(plan.actions, apply);
  } catch (error) {
    recorder.finish();
    await takeBack(history, scope, recorder.id, options.about, error, forget);
    throw error;
  }
  recorder.finish();
  return { id: recorder.id, restored, lost: plan.lost };
}

function refuse(conflicts: readonly Conflict[], force: boolean): void {
  const counted = force ? conflicts.filter(({ reason }) => reason === 'not-kept') : conflicts;
  const [first] = counted;
  if (first === undefined) return;
  const paths = [...new Set(counted.map(({ path }) => path))];
  const named = paths.slice(0, MAX_NAMED).map(quotePath).join(', ');
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  throw new RootwardError(first.reason, `Cannot undo ${named}${more}: ${first.state}; nothing was touched`, {
    path: first.path,
    instruction:
      first.reason === 'changed-since'
        ? 'Undo newer changes first, or tell the user, who can use the command "undo" of rootward with --force'
        : 'Tell the user that this cannot be restored',
  });
}

/** All or nothing: if a step fails, the steps before it are undone. */
async function takeBack(
  history: History,
  scope: Scope,
  id: string | undefined,
  about: ChangeAbout,
  cause: unknown,
  forget: (() => void) | undefined,
): Promise<void> {
  if (id === undefined) return;
  const [half] = await findChanges(history, scope, new Set([id]));
  if (half === undefined) return;
  const store = history.store();
  if (store === undefined) return;
  const plan: UndoPlan = await planUndo([half], scope, store, {});
  const recorder = history.change({ ...about, undoes: [id] }, scope.roots);
  try {
    await applyUndo(plan.actions, {
      scope: scope.recordedBy(recorder),
      recorder,
      store,
      force: false,
      onProgress: () => undefined,
    });
    forget?.();
  } catch (error) {
    const message = `Cannot undo: it failed half way, and what was done could not be taken back; see change ${id}`;
    throw new RootwardError('io', message, { cause: new AggregateError([cause, error]) });
  } finally {
    recorder.finish();
  }
}

/** The changes with these ids, newest first. */
async function findChanges(
  history: History,
  scope: Scope,
  ids: ReadonlySet<string>,
): Promise<readonly Change[]> {
  const found: Change[] = [];
  for await (const change of history.changes(scope.roots)) {
    if (ids.has(change.id)) found.push(change);
    if (found.length === ids.size) break;
  }
  return found;
}

function touched(actions: readonly UndoAction[]): readonly string[] {
  const paths = actions.flatMap((action) =>
    action.kind === 'move' ? [action.from, action.path] : [action.path],
  );
  return [...new Set(paths)];
}
