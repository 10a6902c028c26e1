import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SOURCE_KINDS, type Source } from '../../packages/core/dist/roots/root.js';
import { PAGES, proseOf, repository } from './pages.js';

/** The words of the glossary that a reader cannot guess. */
const TERMS = [
  'ceiling',
  'principal',
  'operator',
  'tools project',
  'working tree',
  'consent',
  'snapshot',
  'handle',
  'follower',
] as const;
/** The glossary itself, and pages with nothing but tables made from the code. */
const LEFT_OUT = /^docs\W(?:glossary|api|options)\.md$/;
const guides = PAGES.filter(({ name }) => name.startsWith('docs') && !LEFT_OUT.test(name));

/** The words of a page that are its own: no code, tables made from code, headings or links. */
function plainText(text: string): string {
  return text
    .replaceAll(/<!-- ([\w-]+):begin -->.*?<!-- \1:end -->/gs, '')
    .replaceAll(/`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|^#+ .*$/gm, '');
}

const glossary = readFileSync(join(repository, 'docs', 'glossary.md'), 'utf8');

/** The sources that the row of a term names. */
function sourcesIn(term: string): readonly string[] {
  const [row = ''] = new RegExp(String.raw`^\| \*\*${term}\*\*.*$`, 'm').exec(glossary) ?? [];
  return [...row.matchAll(/`([a-z]+)`/g)].map((match) => match[1] ?? '').sort();
}

describe('The glossary', () => {
  test('names every source, those of the operator, and hints, as the code has them', () => {
    const sources = Object.keys(SOURCE_KINDS) as Source[];
    const ofKind = (kind: string): readonly string[] =>
      // The ceiling is no source that an operator names roots with.
      sources.filter((source) => SOURCE_KINDS[source] === kind && source !== 'ceiling').sort();
    expect(sourcesIn('source')).toEqual(sources.sort());
    expect(sourcesIn('operator sources')).toEqual(ofKind('operator'));
    expect(sourcesIn('hint')).toEqual(ofKind('hint'));
  });

  test('has every term', () => {
    expect(TERMS.filter((term) => !glossary.includes(`**${term}**`))).toEqual([]);
  });

  test.each(guides)('is linked where a guide uses a term, or what explains it there: $name', (page) => {
    const prose = proseOf(page);
    const used = TERMS.filter((term) => new RegExp(`(?<![\\w-])${term}s?(?![\\w-])`).test(plainText(prose)));
    const linked = (term: string): boolean =>
      new RegExp(String.raw`\[(?:\w+ )?${term}s?[^\]]*\]\((?:[\w-]+\.md)?(?:#[\w-]+)?\)`, 'i').test(prose);
    expect(used.filter((term) => !linked(term))).toEqual([]);
  });
});
