import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearestMatch, suggest } from '../../src/platform/nearest-match.js';

const WORDS = ['roots', 'readOnly', 'toolsets', 'clientRoots', 'deny'];

test.each([
  ['root', 'roots'],
  ['read_only', 'readOnly'],
  ['readonly', 'readOnly'],
  ['--read-only', 'readOnly'],
  ['toolstes', 'toolsets'],
  ['clientroot', 'clientRoots'],
  ['dney', 'deny'],
])('nearestMatch(%j) is %j', (word, match) => {
  expect(nearestMatch(word, WORDS)).toBe(match);
});

test.each(['', 'x', 'permissions', 'z'.repeat(1000)])('nearestMatch(%j) guesses nothing', (word) => {
  expect(nearestMatch(word, WORDS)).toBeUndefined();
  expect(suggest(word, WORDS)).toBe('');
});

test('nearestMatch() finds a word with one letter left out', () => {
  fc.assert(
    fc.property(fc.constantFrom(...WORDS), fc.nat(), (word, at) => {
      const cut = at % word.length;
      expect(nearestMatch(word.slice(0, cut) + word.slice(cut + 1), WORDS)).toBe(word);
    }),
  );
});
