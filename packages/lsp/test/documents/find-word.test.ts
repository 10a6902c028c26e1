import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findWord, nearestFirst } from '../../src/documents/find-word.js';

test('findWord() finds whole words, counted as the protocol counts', () => {
  expect(findWord('count counter\r\n😀 count\n$count count2 (count)', 'count')).toEqual([
    { line: 0, character: 0 },
    { line: 1, character: 3 },
    { line: 2, character: 15 },
  ]);
});

test('findWord() finds names that are no words', () => {
  expect(findWord('a <=> b', '<=>')).toEqual([{ line: 0, character: 2 }]);
  expect(findWord('greet-all x', 'greet-all')).toEqual([{ line: 0, character: 0 }]);
  expect(findWord('x', '')).toEqual([]);
});

test('findWord() names only places that hold the word', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (text, word) => {
      const lines = text.split(/\r\n|\n|\r/);
      for (const { line, character } of findWord(text, word)) {
        expect(lines[line]!.slice(character, character + word.length)).toBe(word);
      }
    }),
  );
});

test('nearestFirst() prefers the line that was meant', () => {
  const places = [1, 5, 9].map((line) => ({ line, character: 0 }));
  expect(nearestFirst(places, 6).map(({ line }) => line)).toEqual([5, 9, 1]);
});
