import { basename, relative as relativePath, sep } from 'node:path';
import type { Root } from '../roots/root.js';
import { BROAD_ROOT_DENIES, compileDenies } from './deny.js';
import type { DenyMatcher } from './deny.js';

/** A workspace's own rules file: it may tighten the fence, so nothing may change it through the fence. */
export const WORKSPACE_RULES_FILE = '.rootward.json';

export interface ScopeRules {
  /** Globs no operation reaches, relative to every root. */
  readonly deny?: readonly string[];
  /** Refuse every change, in all roots. */
  readonly readOnly?: boolean;
  /** Canonical files and folders that steer the fence: readable, but never changed, moved or removed. */
  readonly protect?: readonly string[];
  /** Further globs for one root, by its canonical path. They add to `deny`, never lift it. */
  readonly denyInRoot?: ReadonlyMap<string, readonly string[]>;
}

export type Refusal =
  | { readonly code: 'denied'; readonly pattern: string }
  | { readonly code: 'read-only' }
  | { readonly code: 'protected' };

/** A path in scope: the roots that contain it, deepest first (never empty). */
export interface Placement {
  readonly path: string;
  readonly roots: readonly Root[];
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** A single-file root has nothing to be relative to: its own name is what a pattern can match. */
function slashed(root: Root, path: string): string {
  if (root.kind === 'file') return basename(path);
  const relative = relativePath(root.path, path);
  return sep === '/' ? relative : relative.replaceAll(sep, '/');
}

/** What may be done with a path that is already known to be in scope. A root that forbids always wins. */
export class RuleBook {
  readonly #rules: ScopeRules;
  readonly #denies = new Map<string, DenyMatcher>();
  readonly #shared: DenyMatcher;
  readonly #sharedBroad: DenyMatcher;
  readonly #unrestricted: boolean;

  constructor(rules: ScopeRules) {
    this.#rules = rules;
    const deny = rules.deny ?? [];
    this.#shared = compileDenies(deny);
    this.#sharedBroad = compileDenies([...deny, ...BROAD_ROOT_DENIES]);
    this.#unrestricted = deny.length === 0 && (rules.denyInRoot?.size ?? 0) === 0;
    for (const [root, extra] of rules.denyInRoot ?? []) this.#denies.set(root, compileDenies(extra));
  }

  refuseRead({ path, roots }: Placement): Refusal | undefined {
    if (this.#unrestricted && !roots.some((root) => root.broad)) return undefined;
    for (const root of roots) {
      const relative = slashed(root, path);
      const pattern = this.#match(root, relative);
      if (pattern !== undefined) return { code: 'denied', pattern };
    }
    return undefined;
  }

  refuseChange(placement: Placement): Refusal | undefined {
    const denied = this.refuseRead(placement);
    if (denied !== undefined) return denied;
    if (this.isProtected(placement.path)) return { code: 'protected' };
    if (this.#rules.readOnly === true) return { code: 'read-only' };
    return placement.roots.some((root) => root.access === 'read-only') ? { code: 'read-only' } : undefined;
  }

  /** Refuses to move or remove what holds a protected file or folder. */
  refuseMove(placement: Placement): Refusal | undefined {
    const change = this.refuseChange(placement);
    if (change !== undefined) return change;
    const holds = this.#rules.protect?.some((path) => isWithin(path, placement.path)) ?? false;
    return holds ? { code: 'protected' } : undefined;
  }

  isProtected(path: string): boolean {
    // Any letter case: on a case-insensitive disk every spelling is the same file.
    if (basename(path).toLowerCase() === WORKSPACE_RULES_FILE) return true;
    return this.#rules.protect?.some((directory) => isWithin(path, directory)) ?? false;
  }

  /** Whether something denied could become reachable by moving a folder from one place to the other. */
  dependsOnPlace(from: Placement, to: Placement): boolean {
    const all = [...from.roots, ...to.roots];
    if (all.some((root) => this.#positional(root))) return true;
    const same = from.roots.length === to.roots.length && from.roots.every((root) => to.roots.includes(root));
    return !same && all.some((root) => root.broad || this.#denies.has(root.path));
  }

  #match(root: Root, relative: string): string | undefined {
    return (
      (root.broad ? this.#sharedBroad : this.#shared).match(relative) ??
      this.#denies.get(root.path)?.match(relative)
    );
  }

  #positional(root: Root): boolean {
    return (
      (root.broad ? this.#sharedBroad : this.#shared).positional ||
      this.#denies.get(root.path)?.positional === true
    );
  }
}
