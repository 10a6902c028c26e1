import type { Scope } from '../../scope/scope.js';
import type { ChangeRecorder } from '../change-recorder.js';
import type { EntryState } from '../journal/entry-state.js';
import { readKept } from '../journal/inline-content.js';
import type { OpenStore } from '../store/open-store.js';
import type { ExpectEntry } from '../../scope/operations/entry-description.js';
import { isSameEntry, isSameObject, type UndoAction } from './plan-undo.js';
import { treeDigest } from './tree-digest.js';

export interface ApplyOptions {
  /** The scope of the current snapshot; `recorder` records its changes. */
  readonly scope: Scope;
  readonly recorder: ChangeRecorder;
  readonly store: OpenStore;
  /** Replace whatever is in the way. */
  readonly force: boolean;
  /** Told how many files are restored so far. */
  readonly onProgress: (files: number) => void;
}

/** Carries out a plan, through the fence. Stops at the first failure; what was done before stays. */
export async function applyUndo(actions: readonly UndoAction[], options: ApplyOptions): Promise<void> {
  let files = 0;
  const count = (): void => options.onProgress((files += 1));
  for (const action of actions) {
    if (action.kind === 'move') await move(action, options);
    else await put(action, options, count);
  }
}

/** What the plan found is still there when each action is carried out. */
async function move(
  { from, path, moved }: UndoAction & { readonly kind: 'move' },
  { scope, force }: ApplyOptions,
): Promise<void> {
  const expected: ExpectEntry = (found) => isSameObject(moved, found);
  await scope.rename(from, path, force ? {} : { expected });
}

async function put(
  { path, state, was }: UndoAction & { readonly kind: 'put' },
  { scope, recorder, store, force }: ApplyOptions,
  count: () => void,
): Promise<void> {
  const expected: ExpectEntry | undefined = force ? undefined : (found) => isSameEntry(was, found);
  if (state.kind === 'absent') {
    if (was.kind === 'tree') recorder.knownTree = was.tree;
    const current = force ? await scope.describe(path) : undefined;
    if (current?.kind !== 'absent')
      await scope.remove(path, { recursive: force || was.kind === 'tree', expected });
    return;
  }
  if (force) await clear(scope, path, state);
  if (state.kind === 'other') throw new Error(`what was at ${path} cannot be made again`);
  if (state.kind === 'tree') {
    await putTree(scope, store, path, state, count);
    return;
  }
  if (state.kind === 'file') {
    const bytes = await readKept(state, store.contents);
    if (bytes === undefined) throw new Error(`the content of ${path} is no longer kept`);
    await scope.restore(path, { kind: 'file', mode: state.mode, bytes }, { expected });
  } else await scope.restore(path, state, { expected });
  count();
}

/** An entry of another kind cannot be replaced in one step. */
async function clear(scope: Scope, path: string, state: EntryState): Promise<void> {
  const current = await scope.describe(path);
  const isFolder = current.kind === 'directory';
  if (
    current.kind === 'absent' ||
    (isFolder ? state.kind === 'directory' : state.kind !== 'tree' && state.kind !== 'directory')
  ) {
    return;
  }
  await scope.remove(path, { recursive: true });
}

async function putTree(
  scope: Scope,
  store: OpenStore,
  path: string,
  { tree, files, bytes }: EntryState & { readonly kind: 'tree' },
  count: () => void,
): Promise<void> {
  if (tree === undefined) throw new Error(`the folder ${path} was not kept`);
  const entries = await store.trees.describe(tree);
  if (entries.size === 0) throw new Error(`the folder ${path} is no longer kept`);
  await scope.restoreTree(path, {
    tree,
    digest: treeDigest(entries),
    files,
    bytes,
    entries: entries.keys(),
    put: async (child) => {
      if (store.trees.moveBack(tree, child)) count();
      else await store.trees.copyBack(tree, child, count);
    },
  });
}
