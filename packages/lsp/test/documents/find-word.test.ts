import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findWord, lineStart, linesBetween, nearestFirst } from '../../src/documents/find-word.js';

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

test('lineStart() and linesBetween() count every kind of line end once', () => {
  const text = 'a\r\nbb\rccc\n\ndddd';
  const lines = text.split(/\r\n|\n|\r/);
  expect(lines.map((_, line) => linesBetween(text, line, line))).toEqual(lines);
  expect(linesBetween(text, 1, 2)).toBe('bb\rccc');
  expect([0, 1, 2, 3, 4, 9].map((line) => lineStart(text, line))).toEqual([0, 3, 6, 10, 11, 15]);
  const places = ['a', 'bb', 'ccc', 'dddd'].flatMap((word) => findWord(text, word));
  expect(places.map(({ line, character }) => [line, character])).toEqual(
    [0, 1, 2, 4].map((line) => [line, 0]),
  );
});
