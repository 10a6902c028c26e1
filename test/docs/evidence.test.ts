import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAGES, repository } from './pages.js';

/**
 * By guide, then by heading ("" before the first): the tests, benches and scripts that show what is said there. After
 * " > " a part of the test's title.
 */
const EVIDENCE = JSON.parse(readFileSync(join(repository, 'test/docs/evidence.json'), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, readonly string[]>>>
>;

/** What can show something: a test, a bench, a script that measures or generates, a suite of somebody else. */
const SHOWS = /\.test\.tsx?$|^bench\/src\/sections\/|^scripts\/|^conformance\//;

/** Headings of the second level and below that have text of their own. */
function sectionsOf(page: string): readonly string[] {
  const text = readFileSync(join(repository, page), 'utf8').replaceAll(/^```[^]*?^```/gm, 'code');
  const parts = text.split(/^##+ /m).map((part, index) => {
    const [heading = '', ...lines] = part.split('\n');
    return { heading: index === 0 ? '' : heading.trim(), isEmpty: lines.join('').trim() === '' };
  });
  return parts.flatMap(({ heading, isEmpty }) => (isEmpty ? [] : [heading]));
}

/** Made from the code, and checked against it. */
const GENERATED = new Set(['docs/api.md', 'docs/options.md']);

test('every guide is there', () => {
  const guides = PAGES.map(({ name }) => name).filter((name) => /^(?:README|docs\/.*)\.md$/.test(name));
  expect(new Set(Object.keys(EVIDENCE))).toEqual(new Set(guides.filter((name) => !GENERATED.has(name))));
});

test.each(Object.keys(EVIDENCE))('every section of %s has something that shows it', (page) => {
  const sections = EVIDENCE[page] ?? {};
  expect(Object.keys(sections)).toEqual(sectionsOf(page));
  const unshown = Object.keys(sections).filter((heading) => sections[heading]?.length === 0);
  expect(unshown).toEqual([]);
});

test.each(Object.keys(EVIDENCE))('what shows the sections of %s exists', (page) => {
  const all = Object.values(EVIDENCE[page] ?? {}).flat();
  const missing = all.filter((shown) => {
    const [file = '', title = ''] = shown.split(' > ');
    const path = join(repository, file);
    return !SHOWS.test(file) || !existsSync(path) || !readFileSync(path, 'utf8').includes(title);
  });
  expect(missing).toEqual([]);
});
