import type { CategoryRules } from '../settings/category-rules.js';
import { CONVENTIONAL_CATEGORIES } from './conventional-categories.js';

/** Where documents of a category are looked for. */
export interface Place {
  /** Relative to the project, with `/`; empty for the project itself. */
  readonly dir: string;
  /** A pattern without a slash matches a name at any depth. */
  readonly patterns: readonly string[];
  /** 1 for the folder itself only. */
  readonly maxDepth?: number;
}

/** A named group of a project's guidance documents. */
export interface Category {
  readonly name: string;
  readonly description?: string;
  /** Who named it: the project's own file, its user, or nobody, in which case it is found by custom. */
  readonly from: 'project' | 'user' | 'convention';
  /** What the names of its documents are relative to. */
  readonly base: string;
  readonly places: readonly Place[];
}

const DEFAULT_PATTERNS = ['*.md'];

/** The user's categories come beside those of the project and win where they have the same name. */
export function settleCategories(
  project: CategoryRules | undefined,
  user: CategoryRules | undefined,
): readonly Category[] {
  const named = new Map([...readCategories(project, 'project'), ...readCategories(user, 'user')]);
  return named.size === 0 ? CONVENTIONAL_CATEGORIES : [...named.values()];
}

function readCategories(
  rules: CategoryRules | undefined,
  from: 'project' | 'user',
): readonly (readonly [string, Category])[] {
  return Object.entries(rules ?? {}).map(([name, { dir, patterns, description }]) => {
    const folder = normaliseFolder(dir ?? '');
    const places = [{ dir: folder, patterns: patterns ?? DEFAULT_PATTERNS }];
    const category = { name, from, base: folder, places };
    return [name, description === undefined ? category : { ...category, description }];
  });
}

/** `./docs/` is `docs`. */
function normaliseFolder(dir: string): string {
  return dir
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
}
