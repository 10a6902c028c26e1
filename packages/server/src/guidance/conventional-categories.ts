import type { Category } from './category.js';

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
export const CONVENTIONAL_CATEGORIES: readonly Category[] = [
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
