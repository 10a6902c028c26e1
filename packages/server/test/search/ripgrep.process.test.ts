import { ChildRegistry } from '@rootward/mcp';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findRipgrep } from '../../src/search/find-ripgrep.js';
import { LinePattern } from '../../src/search/line-pattern.js';
import { filesWithLiteral } from '../../src/search/ripgrep.js';
import { makeTree } from '../fixtures/temp-tree.js';

const FILES = 30;
/** Not part of the text, as it is read. */
const BYTE_ORDER_MARK = /^\uFEFF/;
const WORDS = [
  ...'needle NEEDLE foo a.b x-y [x] {y} $1 ^z -- -e \\ naïve NAÏVE nai\u0308ve ﬁ ǅ ǆ 😀x \u{10400}b \u{10428}b'.split(
    ' ',
  ),
  ...'straße STRASSE ſtraße ẞ Kelvin \u212Aelvin σας ΣΑΣ ςας İst ist ıst \u2126m ωm µm μm ᲀв вв Ა ა Ꭰ ꭰ'.split(
    ' ',
  ),
  'tab\tx',
  'a\0b',
  '\uFEFFq',
  '\uFFFD',
  '\u2028',
  '\r',
  '\r\n',
  '\n',
  ' ',
];
const word = fc.constantFrom(...WORDS);
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(''));
const literally = word.map((each) => each.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`));
const syntax = fc.constantFrom(
  '.*',
  '?',
  '+',
  '|',
  '^',
  '$',
  '(?:',
  ')',
  '[^a]',
  '{2}',
  '\\b',
  '\\s',
  '\\-',
  '\ud83d',
);
const source = fc.array(fc.oneof({ weight: 3, arbitrary: literally }, syntax), {
  minLength: 1,
  maxLength: 4,
});
const tree = makeTree();
const names = Array.from({ length: FILES }, (_, index) => `${index}.txt`);
const { signal } = new AbortController();

function compile(pattern: string, ignoreCase: boolean): LinePattern | undefined {
  try {
    return new LinePattern(pattern, ignoreCase);
  } catch {
    return undefined;
  }
}

test('ripgrep passes over no file that has a match, whatever the pattern', async () => {
  const program = await findRipgrep([]);
  if (program === undefined) throw new Error('ripgrep is not installed');
  let narrowed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: FILES, maxLength: FILES }),
      fc.array(fc.tuple(source, fc.boolean()), { minLength: 5, maxLength: 5 }),
      async (texts, patterns) => {
        tree.add(Object.fromEntries(texts.map((content, index) => [`${index}.txt`, content])));
        const paths = names.map((name) => tree.path(name));
        for (const [parts, ignoreCase] of patterns) {
          const pattern = compile(parts.join(''), ignoreCase);
          if (pattern === undefined) continue;
          const named = await filesWithLiteral(program, pattern, paths, {
            children: new ChildRegistry(),
            signal,
          });
          if (named === undefined) continue;
          narrowed++;
          const found = pattern.searchWithin(
            60_000,
            texts.map((content) => content.replace(BYTE_ORDER_MARK, '')),
          )!;
          const matching = paths.filter((_, index) => found[index]?.length !== 0);
          expect([parts.join(''), ignoreCase, matching.filter((path) => !named.has(path))]).toEqual([
            parts.join(''),
            ignoreCase,
            [],
          ]);
        }
      },
    ),
    { numRuns: 40 },
  );
  expect(narrowed).toBeGreaterThan(0);
});
