import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { requiredLiteral } from '../../src/search/required-literal.js';

test.each([
  ['function', 'function'],
  ['a\\.b', 'a.b'],
  ['function\\s+\\w+Handler', 'function'],
  ['ab?c', undefined],
  ['abc?', 'ab'],
  ['abcd*ef', 'abc'],
  ['abc+de', 'abc'],
  ['ab{2}cd', 'cd'],
  ['(foo|bar)baz', 'baz'],
  ['(?:foo)', undefined],
  ['(?<!x)yes', 'yes'],
  ['[a)]word[\\]]', 'word'],
  ['foo|bar', undefined],
  ['^import .* from', 'import '],
  ['\\u0061bc', undefined],
  ['\\1abc', undefined],
  ['\\p{L}abc', undefined],
  ['((a)', undefined],
  ['x', undefined],
  ['😀'.repeat(101), '😀'.repeat(100)],
  ['', undefined],
])('requiredLiteral(%j) is %j', (pattern, literal) => {
  expect(requiredLiteral(pattern)).toBe(literal);
});

const compile = (source: string): RegExp | undefined => {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
};

test('requiredLiteral() is in every text the expression matches', () => {
  const atom = fc.oneof(
    fc.constantFrom(
      'a',
      'b',
      'ab',
      '\\.',
      '.',
      '[ab]',
      '[^a]',
      '(a|b)',
      '(?:ab)',
      '(?=a)',
      '\\w',
      '\\b',
      '^',
      '$',
    ),
    fc.constantFrom('(a(b))', '[\\]a]', '\\(', '-', '\\d'),
  );
  const part = fc
    .tuple(atom, fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,1}', '+?', '|'))
    .map((both) => both.join(''));
  const pattern = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
  const text = fc.stringMatching(/^[ab.(\]\-1]{0,12}$/);
  fc.assert(
    fc.property(pattern, text, (source, subject) => {
      const literal = requiredLiteral(source) ?? '';
      const matches = compile(source)?.test(subject) === true;
      expect(matches && !subject.includes(literal)).toBe(false);
    }),
    { numRuns: 5000 },
  );
});
