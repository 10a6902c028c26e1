import { basename, relative as relativePath, sep } from 'node:path';
import type { Root } from '../../roots/root.js';
import { isWithin } from './child-path.js';
import { BROAD_ROOT_DENIES, compileDenies } from './deny.js';
import type { DenyMatcher } from './deny.js';
import { foldCase } from './letter-case.js';

/** A workspace's own rules file: it may tighten the fence, so nothing may change it through the fence. */
export const WORKSPACE_RULES_FILE = '.rootward.json';

/** What a scope forbids inside its roots. */
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

/** A single-file root has nothing to be relative to: its own name is what a pattern can match. */
function slashed(root: Root, path: string): string {
  if (root.kind === 'file') return basename(path);
  const relative = relativePath(root.path, path);
  return sep === '/' ? relative : relative.replaceAll(sep, '/');
}

/** What may be done with a path that is already known to be in scope. A root that forbids always wins. */
export class RuleBook {
  readonly #readOnly: boolean;
  readonly #protect: readonly string[];
  readonly #denies = new Map<string, DenyMatcher>();
  readonly #shared: DenyMatcher;
  /** Made when the first broad root is met: most workspaces have none. */
  #sharedBroad: DenyMatcher | undefined;
  readonly #deny: readonly string[];
  readonly #unrestricted: boolean;

  constructor(rules: ScopeRules) {
    this.#readOnly = rules.readOnly ?? false;
    this.#protect = (rules.protect ?? []).map(foldCase);
    const deny = rules.deny ?? [];
    this.#deny = deny;
    this.#shared = compileDenies(deny);
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
    if (this.isProtected(placement)) return { code: 'protected' };
    if (this.#readOnly) return { code: 'read-only' };
    return placement.roots.some((root) => root.access === 'read-only') ? { code: 'read-only' } : undefined;
  }

  /** Refuses to move or remove what holds a protected file or folder. */
  refuseMove(placement: Placement): Refusal | undefined {
    const change = this.refuseChange(placement);
    if (change !== undefined) return change;
    const folded = foldCase(placement.path);
    return this.#protect.some((kept) => isWithin(kept, folded)) ? { code: 'protected' } : undefined;
  }

  /** Protected are the listed paths with all below them, and every workspace rules file, at any depth. */
  isProtected({ path, roots }: Placement): boolean {
    const folded = foldCase(path);
    if (this.#protect.some((kept) => isWithin(folded, kept))) return true;
    // Any letter case: on a case-insensitive disk every spelling is the same file.
    return roots.some((root) => slashed(root, path).toLowerCase().split('/').includes(WORKSPACE_RULES_FILE));
  }

  #match(root: Root, relative: string): string | undefined {
    const shared = root.broad ? this.#broadDenies() : this.#shared;
    return shared.match(relative) ?? this.#denies.get(root.path)?.match(relative);
  }

  #broadDenies(): DenyMatcher {
    this.#sharedBroad ??= compileDenies([...this.#deny, ...BROAD_ROOT_DENIES]);
    return this.#sharedBroad;
  }
}
