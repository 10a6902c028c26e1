import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative as relativePath, resolve, sep } from 'node:path';
import { RootwardError } from '../../error.js';
import type { Fence, FenceFolder } from '../../roots/fence.js';
import type { OperatorLimit, OperatorLimits } from '../../roots/operator-limits.js';
import { BROAD_ROOT_PLACES } from '../../protected/credentials.js';
import type { ProtectedPlace } from '../../protected/place.js';
import { steeringReason } from '../../protected/register.js';
import { WORKSPACE_RULES_FILE } from '../../protected/steering.js';
import type { Root } from '../../roots/root.js';
import { childPath, isWithin } from './child-path.js';
import { compileDenies, type DenyMatcher } from './deny.js';
import { GitDirectories } from './git-directories.js';
import { foldCase } from './letter-case.js';
import { PathIndex } from './path-index.js';
import { placesAtHome, placesOf, type Places } from './places.js';
import type { Pin } from '../pin/pin.js';
import { RulesFiles, type FolderRules, type RulesInFolder } from './rules-file.js';
import { RulesTops } from './rules-tops.js';
import { StandIns, type StoodFor } from './stood-for.js';

/** What a scope forbids inside its roots. */
export interface ScopeRules {
  /** Globs no operation reaches, relative to every root and to every folder the operator named. */
  readonly deny?: readonly string[];
  /** Absolute paths no operation reaches, with all below them, whatever the roots are. */
  readonly denyAbsolute?: readonly string[];
  /** Refuse every change, in all roots. */
  readonly readOnly?: boolean;
  /** Canonical files and folders that steer the fence: readable, but never changed, moved or removed. */
  readonly protect?: readonly string[];
  /**
   * Places that are out of reach or fixed, by canonical paths, such as `canonicalPlaces(protectedPlaces(…))`. Frozen, it is
   * indexed once for all scopes. Default: the register for the home directories of the fence. Places at any depth, such
   * as `.git`, are fixed in every scope.
   */
  readonly places?: readonly ProtectedPlace[] | undefined;
  /** Rules for a folder and all below it, by its canonical path. They add to the others, never lift one. */
  readonly inFolder?: ReadonlyMap<string, RulesInFolder>;
  /**
   * Rules for a folder and all below it that are kept elsewhere, with the same effect as a rules file. Called once per
   * folder: for each folder in use and all above it, whatever the roots are.
   */
  readonly keptElsewhere?: (folder: string) => readonly RulesInFolder[];
  /** What the operator takes away while the scope is in use. It takes effect at once. */
  readonly limits?: OperatorLimits | undefined;
}

export type Refusal =
  | { readonly code: 'denied'; readonly pattern: string }
  | { readonly code: 'hidden'; readonly reason: string }
  | { readonly code: 'revoked' }
  /** `by`: the rules file that says so, where it is not the root. */
  | { readonly code: 'read-only'; readonly by?: string }
  | { readonly code: 'protected'; readonly reason: string }
  | { readonly code: 'rules-unreadable'; readonly file: string; readonly problem: string };

/** A path in scope: the roots that contain it, deepest first (never empty). */
export interface Placement {
  readonly path: string;
  readonly roots: readonly Root[];
  /** It is known to be a directory, so that its own rules file counts, too. */
  readonly isDirectory?: boolean;
}

/** The rules files found by one operation, by folder, so that each folder is looked at once. */
export type FoldersSeen = Map<string, readonly FolderRules[]>;

/** What is forbidden below one path, whatever the roots are. */
interface Fixed {
  readonly path: string;
  readonly denies: DenyMatcher[];
  readOnly: boolean;
  /** It is denied itself: the rule that says so. */
  whole: string | undefined;
  unreadable: RulesInFolder['unreadable'];
}

/** What may be done with a path that is already known to be in scope. A rule that forbids always wins. */
export class RuleBook {
  readonly #readOnly: boolean;
  readonly #protect: readonly string[];
  readonly #shared: DenyMatcher | undefined;
  /** Created for the first broad root: most workspaces have none. */
  #broad: DenyMatcher | undefined;
  /** The folders that rules are tied to beside the roots; empty where no rule is relative to a folder. */
  readonly #anchors = new PathIndex<FenceFolder>();
  readonly #broadCeilings: ReadonlySet<string>;
  readonly #named = new PathIndex<FenceFolder>();
  readonly #fixed = new PathIndex<Fixed>();
  readonly #places: Places;
  readonly #git: GitDirectories;
  readonly #files: RulesFiles;
  readonly #tops: RulesTops;
  readonly #standIns: StandIns;
  readonly #limits: OperatorLimits | undefined;

  constructor(rules: ScopeRules, fence: Fence = NO_FENCE, roots: readonly Root[] = []) {
    this.#standIns = new StandIns(roots);
    this.#git = new GitDirectories(fence.homes);
    this.#readOnly = rules.readOnly ?? false;
    this.#files = new RulesFiles(rules.keptElsewhere);
    this.#limits = rules.limits;
    this.#protect = (rules.protect ?? []).map(foldCase);
    const deny = rules.deny ?? [];
    this.#shared = deny.length === 0 ? undefined : compileDenies(deny);
    this.#tops = new RulesTops(fence);
    this.#broadCeilings = new Set(fence.ceiling.filter(({ broad }) => broad).map(({ path }) => path));
    this.#anchor(fence);
    this.#places = rules.places === undefined ? placesAtHome(fence.homes) : placesOf(rules.places);
    for (const path of rules.denyAbsolute ?? []) this.#denyAbsolute(path);
    for (const [folder, { deny: own = [], readOnly = false, unreadable }] of rules.inFolder ?? []) {
      const fixed = this.#fixedAt(folder);
      fixed.unreadable ??= unreadable;
      if (own.length > 0) fixed.denies.push(compileDenies(own));
      if (readOnly) fixed.readOnly = true;
    }
  }

  /** Whether the operator took away this place, or the place it stands for in the main tree. */
  isRevoked(path: string): boolean {
    return this.#limitOn(path) === 'revoked';
  }

  refuseRead(placement: Placement, seen?: FoldersSeen): Refusal | undefined {
    if (this.isRevoked(placement.path)) return { code: 'revoked' };
    return (
      this.#refuseByRoots(placement) ??
      this.#refuseFixed(placement.path) ??
      this.#refuseStoodFor(placement) ??
      refuseByFiles(placement.path, this.#filesFor(placement, seen))
    );
  }

  /**
   * `refuseRead()` for the entries of one folder, by their paths. `files` are the rules files that hold there. What holds for
   * all of them is looked up once; what the operator takes away meanwhile still takes effect at once.
   */
  refuserOfEntries(folder: Placement, files: readonly FolderRules[]): (path: string) => Refusal | undefined {
    const seen: FoldersSeen = new Map([[folder.path, files]]);
    const refuse = (path: string): Refusal | undefined =>
      this.refuseRead({ path, roots: folder.roots }, seen);
    if (files.length > 0 || !this.#isWithoutRules(folder)) return refuse;
    return (path) => (this.#hasOwnRule(path) ? refuse(path) : undefined);
  }

  refuseChange(placement: Placement, seen: FoldersSeen = new Map()): Refusal | undefined {
    const denied = this.refuseRead(placement, seen);
    if (denied !== undefined) return denied;
    const reason = this.#protectedReason(placement.path);
    if (reason !== undefined) return { code: 'protected', reason };
    const isLimited = this.#limitOn(placement.path) === 'read-only';
    if (this.#readOnly || isLimited || placement.roots.some((root) => root.access === 'read-only')) {
      return { code: 'read-only' };
    }
    const stoodFor = this.#standIns.of(placement.path);
    const fixed = [
      ...this.#fixedFor(placement.path),
      ...(stoodFor === undefined ? NOTHING_FIXED : this.#fixedFor(stoodFor.path)),
    ];
    if (fixed.some(({ readOnly }) => readOnly)) return { code: 'read-only' };
    const by = this.#filesFor(placement, seen).find(({ readOnly }) => readOnly);
    if (by !== undefined) return by.file === '' ? { code: 'read-only' } : { code: 'read-only', by: by.file };
    const { path, isDirectory = false } = placement;
    const git = this.#git.reasonFor(path, isDirectory);
    return git === undefined ? undefined : { code: 'protected', reason: git };
  }

  /** Refuses to move or remove what holds a protected file or folder. */
  refuseMove(placement: Placement, seen?: FoldersSeen): Refusal | undefined {
    const change = this.refuseChange(placement, seen);
    if (change !== undefined) return change;
    for (const name of this.#namesOf(placement.path)) {
      const folded = foldCase(name);
      if (this.#protect.some((kept) => isWithin(kept, folded))) return { code: 'protected', reason: STEERS };
      const inside = this.#places.inside(folded);
      if (inside !== undefined) return { code: 'protected', reason: `in it, ${inside.reason}` };
    }
    return undefined;
  }

  /** Refuses to move a folder away from rules that name it: below its new name they would no longer hold. */
  refuseToLeaveRules(folder: string): Refusal | undefined {
    return this.#files.isNamedElsewhere(folder)
      ? { code: 'protected', reason: 'rules that the user keeps elsewhere name this folder' }
      : undefined;
  }

  /** Why a path may only be read, by any of its names. */
  #protectedReason(path: string): string | undefined {
    const steering = steeringReason(path);
    if (steering !== undefined) return steering;
    for (const name of this.#namesOf(path)) {
      const folded = foldCase(name);
      if (this.#protect.some((kept) => isWithin(folded, kept))) return STEERS;
      const place = this.#placeOf(this.#places.fixed, name);
      if (place !== undefined) return place.reason;
    }
    return undefined;
  }

  /** The place that a path lies in, unless the operator named it or a part of it that holds the path. */
  #placeOf(index: PathIndex<ProtectedPlace>, path: string): ProtectedPlace | undefined {
    if (index.size === 0) return undefined;
    return withAbove(index, foldCase(path)).find(
      (place) => !(place.unlessNamed && this.#isNamedIn(place.path, path)),
    );
  }

  #limitOn(path: string): OperatorLimit | undefined {
    if (this.#limits === undefined) return undefined;
    const own = this.#limits.on(path);
    const stoodFor = own === 'revoked' ? undefined : this.#standIns.of(path);
    return (stoodFor === undefined ? undefined : this.#limits.on(stoodFor.path)) ?? own;
  }

  /** A path as it is, and as it is called in the tree that its root stands for. */
  #namesOf(path: string): readonly string[] {
    const stoodFor = this.#standIns.of(path);
    return stoodFor === undefined ? [path] : [path, stoodFor.path];
  }

  #refuseStoodFor({ path }: Placement): Refusal | undefined {
    const stoodFor = this.#standIns.of(path);
    if (stoodFor === undefined) return undefined;
    const place = { path: stoodFor.path, roots: [stoodFor.root] };
    return this.#refuseByRoots(place) ?? this.#refuseFixed(place.path);
  }

  /** Relative to the roots, and to the folders the operator named: naming another root lifts no rule of theirs. */
  #refuseByRoots({ path, roots }: Placement): Refusal | undefined {
    for (const root of roots) {
      const pattern = this.#match(root, path, root.broad);
      if (pattern !== undefined) return { code: 'denied', pattern };
    }
    if (this.#anchors.size === 0) return undefined;
    for (const folder of withAbove(this.#anchors, path)) {
      if (roots.some((root) => root.path === folder.path)) continue;
      // What the operator named below a broad ceiling is a project, not a part that a client narrowed out of it.
      const isExcused = this.#broadCeilings.has(folder.path) && this.#isNamedProject(path);
      const pattern = this.#match(folder, path, folder.broad && !isExcused);
      if (pattern !== undefined) return { code: 'denied', pattern };
    }
    return undefined;
  }

  #isNamedProject(path: string): boolean {
    const named = withAbove(this.#named, path);
    return named.length > 0 && named.every(({ broad }) => !broad);
  }

  #match(folder: FenceFolder, path: string, broad: boolean): string | undefined {
    if (this.#shared === undefined && !broad) return undefined;
    const relative = slashed(folder, path);
    return this.#shared?.match(relative) ?? (broad ? this.#broadDenies().match(relative) : undefined);
  }

  #refuseFixed(path: string): Refusal | undefined {
    const hidden = this.#placeOf(this.#places.hidden, path);
    if (hidden !== undefined) return { code: 'hidden', reason: hidden.reason };
    for (const { path: folder, denies, whole, unreadable } of this.#fixedFor(path)) {
      if (unreadable !== undefined) return { code: 'rules-unreadable', ...unreadable };
      if (whole !== undefined) return { code: 'denied', pattern: whole };
      if (denies.length === 0) continue;
      const relative = slashes(relativePath(folder, path));
      for (const deny of denies) {
        const pattern = deny.match(relative);
        if (pattern !== undefined) return { code: 'denied', pattern };
      }
    }
    return undefined;
  }

  /** Whether the operator named a path that lies in `place` and holds `path`. */
  #isNamedIn(place: string, path: string): boolean {
    return withAbove(this.#named, path).some((named) => isWithin(named.path, place));
  }

  #fixedFor(path: string): readonly Fixed[] {
    return this.#fixed.size === 0 ? NOTHING_FIXED : withAbove(this.#fixed, foldCase(path));
  }

  /** Whether no rule holds for all entries of a folder, apart from rules files and what the operator takes away. */
  #isWithoutRules({ path, roots }: Placement): boolean {
    const entry = foldCase(childPath(path, 'entry'));
    return (
      this.#shared === undefined &&
      roots.every(({ broad }) => !broad) &&
      this.#anchors.size === 0 &&
      this.#standIns.isEmpty &&
      this.#fixed.above(entry).length === 0 &&
      this.#places.hidden.above(entry).length === 0
    );
  }

  #hasOwnRule(path: string): boolean {
    const name = foldCase(path);
    return (
      this.#limitOn(path) !== undefined ||
      this.#fixed.get(name) !== undefined ||
      this.#places.hidden.get(name) !== undefined
    );
  }

  /** The rules files that hold in a pinned folder, given those that hold in the folder above it. */
  filesBelow(above: readonly FolderRules[], folder: Pin): readonly FolderRules[] {
    const own = this.#files.in(folder.path, folder.child(WORKSPACE_RULES_FILE));
    const stoodFor = this.#standIns.of(folder.path);
    const other = stoodFor === undefined ? NO_FILES : this.#files.in(stoodFor.path);
    if (own.length === 0 && other.length === 0) return above;
    return [...above, ...own, ...other.map((rules) => Object.assign({}, rules, { folder: folder.path }))];
  }

  /** The rules files that hold in a folder that is in scope. */
  filesIn(placement: Placement): readonly FolderRules[] {
    return this.#filesFor({ ...placement, isDirectory: true }, undefined);
  }

  #filesFor({ path, roots, isDirectory }: Placement, seen: FoldersSeen | undefined): readonly FolderRules[] {
    const folder = isDirectory === true ? path : dirname(path);
    const known = seen?.get(folder);
    if (known !== undefined) return known;
    const own = this.#files.between(this.#tops.of(roots, folder), folder);
    const stoodFor = this.#standIns.of(folder);
    const found = stoodFor === undefined ? own : [...own, ...this.#filesStoodFor(stoodFor)];
    seen?.set(folder, found);
    return found;
  }

  #filesStoodFor({ path, root, back }: StoodFor): readonly FolderRules[] {
    const found = this.#files.between(this.#tops.of([root], path), path);
    return found.map((rules) => Object.assign({}, rules, { folder: back(rules.folder) }));
  }

  #anchor({ named, ceiling, hinted }: Fence): void {
    for (const folder of named) this.#named.set(folder.path, folder);
    const folders = [...named, ...ceiling, ...hinted];
    for (const folder of folders) {
      if (this.#shared !== undefined || folder.broad) this.#anchors.set(folder.path, folder);
    }
  }

  #denyAbsolute(path: string): void {
    if (!isAbsolute(path) || path.includes('\0')) {
      const state = path.includes('\0') ? 'no path has a NUL character' : 'it is not an absolute path';
      throw new RootwardError('invalid-option', `Cannot deny ${JSON.stringify(path)}: ${state}`);
    }
    for (const place of new Set([resolve(path), canonicalOr(resolve(path))])) {
      this.#fixedAt(place).whole = path;
    }
  }

  #fixedAt(path: string): Fixed {
    const key = foldCase(path);
    const fixed = this.#fixed.get(key) ?? nothingFixedAt(path);
    this.#fixed.set(key, fixed);
    return fixed;
  }

  #broadDenies(): DenyMatcher {
    this.#broad ??= compileDenies(BROAD_ROOT_PLACES.map(({ path }) => path));
    return this.#broad;
  }
}

function nothingFixedAt(path: string): Fixed {
  return { path, denies: [], readOnly: false, whole: undefined, unreadable: undefined };
}

/** What is said about files that the author of a scope protects. */
const STEERS = 'it steers what is in scope and is kept as it is';

const NO_FENCE: Fence = { homes: [], named: [], ceiling: [], hinted: [] };
const NOTHING_FIXED: readonly Fixed[] = [];
const NO_FILES: readonly FolderRules[] = [];

function refuseByFiles(path: string, files: readonly FolderRules[]): Refusal | undefined {
  for (const { folder, file, deny, problem } of files) {
    if (problem !== undefined) {
      if (path === file) continue;
      return { code: 'rules-unreadable', file, problem };
    }
    const pattern = deny.match(slashes(relativePath(folder, path)));
    if (pattern !== undefined) return { code: 'denied', pattern };
  }
  return undefined;
}

/** A single-file root has nothing to be relative to: its own name is what a pattern can match. */
function slashed(root: FenceFolder, path: string): string {
  return root.kind === 'file' ? basename(path) : slashes(relativePath(root.path, path));
}

function slashes(relative: string): string {
  return sep === '/' ? relative : relative.replaceAll(sep, '/');
}

/** The value of a path itself first, then those of the folders above it. */
function withAbove<Value>(index: PathIndex<Value>, path: string): readonly Value[] {
  const exact = index.get(path);
  const above = index.above(path);
  return exact === undefined ? above : [exact, ...above];
}

function canonicalOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
