import type { CategoryRules } from '../settings/category-rules.js';

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

const PROSE = ['*.md', '*.mdx', '*.markdown', '*.rst', '*.adoc', '*.txt'];

function atTop(...patterns: readonly string[]): Category['places'][number] {
  return { dir: '', patterns, maxDepth: 1 };
}

function below(dir: string, patterns: readonly string[] = PROSE): Category['places'][number] {
  return { dir, patterns };
}

/**
 * What projects have by custom, for those that name no categories. A document belongs to the first that finds it, so
 * the narrow ones come before `docs`.
 */
const CONVENTIONAL_CATEGORIES: readonly Category[] = [
  {
    name: 'instructions',
    description: 'How to work in this project, written for assistants',
    from: 'convention',
    base: '',
    places: [
      atTop('AGENTS.md', 'CLAUDE.md', 'GEMINI.md', '.cursorrules', '.windsurfrules'),
      below('.cursor/rules', ['*.md', '*.mdc']),
      { dir: '.github', patterns: ['copilot-instructions.md'], maxDepth: 1 },
      below('.github/instructions', ['*.md']),
    ],
  },
  {
    name: 'decisions',
    description: 'Architecture decision records',
    from: 'convention',
    base: '',
    places: [
      below('docs/adr'),
      below('docs/adrs'),
      below('docs/decisions'),
      below('docs/architecture/decisions'),
      below('doc/adr'),
      below('adr'),
      below('decisions'),
    ],
  },
  {
    name: 'changelog',
    description: 'What changed between releases',
    from: 'convention',
    base: '',
    places: [
      atTop('CHANGELOG', 'CHANGELOG.*', 'CHANGES', 'CHANGES.*', 'HISTORY.*', 'NEWS', 'NEWS.*', 'RELEASES.*'),
    ],
  },
  {
    name: 'docs',
    description: 'What the project is and how it is used',
    from: 'convention',
    base: '',
    places: [atTop('README', 'README.*', 'CONTRIBUTING.*', 'ARCHITECTURE.*'), below('docs'), below('doc')],
  },
];
