import { basename, dirname, join, relative as relativePath } from 'node:path';
import { isWithin } from '../../scope/gate/child-path.js';
import type { EntryDescription } from '../../scope/operations/entry-description.js';
import type { Scope } from '../../scope/scope.js';
import type { EntryState, TreeState } from '../journal/entry-state.js';
import type { TreeStore } from '../store/tree-store.js';
import { treeDigest } from './tree-digest.js';

interface Foreseen {
  readonly entry: EntryDescription;
  /** The kept tree that will be there, with everything in it. */
  readonly tree?: string | undefined;
  /** Newly made, so nothing is below it. */
  readonly fresh: boolean;
}

const ABSENT: EntryDescription = { kind: 'absent' };

/** The disk as it will be after planned changes. Reads only through the fence. */
export class Outlook {
  readonly #scope: Scope;
  readonly #trees: TreeStore;
  readonly #foreseen = new Map<string, Foreseen>();
  /** Where the entry that will be at a path is now. */
  readonly #origins = new Map<string, Somewhere>();
  readonly #described = new Map<string, ReadonlyMap<string, EntryDescription>>();

  constructor(scope: Scope, trees: TreeStore) {
    this.#scope = scope;
    this.#trees = trees;
  }

  /** What will be at a path. The path has to be one that may be changed. */
  async at(path: string): Promise<EntryDescription> {
    const own = this.#foreseen.get(path);
    if (own !== undefined) return own.entry;
    const place = await this.#placeOf(path);
    if (place.kind === 'nowhere') return ABSENT;
    if (place.kind === 'kept') return place.entries.get(place.relative) ?? ABSENT;
    return this.#scope.describe(place.path, { forChange: true });
  }

  async isEmpty(folder: string): Promise<boolean> {
    for (const [path, { entry }] of this.#foreseen) {
      if (dirname(path) === folder && entry.kind !== 'absent') return false;
    }
    for (const name of await this.#namesIn(await this.#placeOf(folder))) {
      if ((await this.at(join(folder, name))).kind !== 'absent') return false;
    }
    return true;
  }

  /** What is in a folder before any planned change. */
  async #namesIn(place: Place): Promise<readonly string[]> {
    if (place.kind === 'disk') return (await this.#scope.list(place.path)).map(({ name }) => name);
    if (place.kind === 'nowhere') return [];
    const kept = [...place.entries.keys()].filter((each) => each !== '');
    const parent = place.relative === '' ? '.' : place.relative;
    return kept.filter((each) => dirname(each) === parent).map((each) => basename(each));
  }

  /** Whether a folder, with everything that will be in it, is exactly a tree that was put there, and may be kept again. */
  async isTree(folder: string, { tree, digest }: TreeState, signal?: AbortSignal): Promise<boolean> {
    const entries = await this.#entriesOf(folder, signal);
    if (treeDigest(entries) !== digest) return false;
    if (tree !== undefined) this.#described.set(tree, entries);
    return true;
  }

  async #entriesOf(folder: string, signal?: AbortSignal): Promise<Map<string, EntryDescription>> {
    const entries = await this.#entriesAt(await this.#placeOf(folder), signal);
    const own = this.#foreseen.get(folder);
    if (own !== undefined) entries.set('', own.entry);
    for (const [path, origin] of this.#origins) {
      if (path === folder || !isWithin(path, folder)) continue;
      const base = relativePath(folder, path);
      for (const [below, entry] of await this.#entriesAt(origin, signal))
        entries.set(joined(base, below), entry);
    }
    // Folders before what is in them.
    const foreseen = [...this.#foreseen].toSorted(([one], [other]) => one.length - other.length);
    for (const [path, { entry, tree }] of foreseen) {
      if (path === folder || !isWithin(path, folder)) continue;
      await this.#overlay(entries, relativePath(folder, path), entry, tree);
    }
    return entries;
  }

  /** What is at a place and below it, by paths from there. */
  async #entriesAt(place: Place, signal?: AbortSignal): Promise<Map<string, EntryDescription>> {
    if (place.kind === 'nowhere') return new Map();
    if (place.kind === 'kept') {
      const { entries, relative } = place;
      const found = [...entries].filter(([each]) => relative === '' || isWithin(each, relative));
      return new Map(found.map(([each, entry]) => [relativePath(relative, each), entry]));
    }
    const entry = await this.#scope.describe(place.path);
    if (entry.kind !== 'directory') return new Map(entry.kind === 'absent' ? [] : [['', entry]]);
    return this.#scope.describeTree(place.path, signal);
  }

  /** Something will exist, or will be gone. */
  async put(path: string, state: EntryState): Promise<void> {
    const before = await this.at(path);
    if (state.kind !== 'directory' || before.kind !== 'directory') this.#forgetBelow(path);
    const tree = state.kind === 'tree' ? state.tree : undefined;
    const entry = tree === undefined ? describe(state) : (await this.#kept(tree)).get('');
    this.#foreseen.set(path, { entry: entry ?? ABSENT, tree, fresh: before.kind !== 'directory' });
  }

  async move(from: string, to: string): Promise<void> {
    const moved = await this.at(from);
    const place = await this.#placeOf(from);
    const known = [...this.#foreseen].filter(([path]) => isWithin(path, from));
    const origins = [...this.#origins].filter(([path]) => path !== from && isWithin(path, from));
    this.#forgetBelow(from);
    this.#forgetBelow(to);
    for (const [path, each] of known) this.#foreseen.set(to + path.slice(from.length), each);
    for (const [path, origin] of origins) this.#origins.set(to + path.slice(from.length), origin);
    if (place.kind !== 'nowhere') this.#origins.set(to, place);
    if (!this.#foreseen.has(to)) this.#foreseen.set(to, { entry: moved, fresh: place.kind === 'nowhere' });
    this.#foreseen.set(from, { entry: ABSENT, fresh: true });
  }

  #forgetBelow(path: string): void {
    for (const map of [this.#foreseen, this.#origins]) {
      for (const each of map.keys()) if (isWithin(each, path)) map.delete(each);
    }
  }

  /** Where the entry is to be looked up: on the disk, in a kept tree, or nowhere because its folder is new or gone. */
  async #placeOf(path: string): Promise<Place> {
    for (let above = path; ; above = dirname(above)) {
      const below = relativePath(above, path);
      const origin = this.#origins.get(above);
      if (origin !== undefined) return within(origin, below);
      const known = this.#foreseen.get(above);
      if (known?.tree !== undefined) {
        return { kind: 'kept', entries: await this.#kept(known.tree), relative: below };
      }
      if (known !== undefined && (known.fresh || known.entry.kind !== 'directory')) {
        return { kind: 'nowhere' };
      }
      if (above === dirname(above)) return { kind: 'disk', path };
    }
  }

  /** What is in a kept tree. */
  async #kept(name: string): Promise<ReadonlyMap<string, EntryDescription>> {
    const known = this.#described.get(name);
    if (known !== undefined) return known;
    const entries = await this.#trees.describe(name);
    this.#described.set(name, entries);
    return entries;
  }

  async #overlay(
    entries: Map<string, EntryDescription>,
    relative: string,
    entry: EntryDescription,
    tree: string | undefined,
  ): Promise<void> {
    if (entry.kind !== 'directory' || tree !== undefined) {
      for (const each of entries.keys()) if (isWithin(each, relative)) entries.delete(each);
    }
    if (entry.kind !== 'absent') entries.set(relative, entry);
    if (tree === undefined) return;
    for (const [below, each] of await this.#kept(tree)) entries.set(joined(relative, below), each);
  }
}

function joined(base: string, below: string): string {
  return below === '' ? base : `${base}/${below}`;
}

/** On the disk, or in a tree that comes back; its entries as they are then: the tree may be kept again without them. */
type Somewhere =
  | { readonly kind: 'disk'; readonly path: string }
  | {
      readonly kind: 'kept';
      readonly entries: ReadonlyMap<string, EntryDescription>;
      readonly relative: string;
    };

type Place = Somewhere | { readonly kind: 'nowhere' };

function within(place: Somewhere, below: string): Somewhere {
  if (place.kind === 'disk') return { kind: 'disk', path: join(place.path, below) };
  return { ...place, relative: place.relative === '' ? below : joined(place.relative, below) };
}

function describe(state: EntryState): EntryDescription {
  switch (state.kind) {
    case 'absent':
    case 'link':
      return state;
    case 'other':
      return { kind: 'other' };
    case 'file':
      return { kind: 'file', size: state.size, mode: state.mode, hash: state.hash ?? '' };
    case 'directory':
      return { kind: 'directory', mode: state.mode ?? 0, empty: true };
    case 'tree':
      return { kind: 'directory', mode: 0, empty: false };
  }
}
