import { expect, test } from 'vitest';
import { LinePattern } from '../../src/search/line-pattern.js';

const AMPLE_MS = 60_000;
const search = (pattern: string, text: string, ignoreCase = false) =>
  new LinePattern(pattern, ignoreCase)
    .searchWithin(AMPLE_MS, [text])![0]!
    .map(({ line, column }) => `${line}:${column}`);

test('LinePattern.searchWithin() matches line by line, anchors included, whatever the line ends are', () => {
  expect(search('^b$', 'a\r\nb\r\nab\nb')).toEqual(['2:1', '4:1']);
  expect(search('a\\s+b', 'a\nb\na b')).toEqual(['3:1']);
  expect(search('b', 'ab\n\nb\n')).toEqual(['1:2', '3:1']);
  expect(search('x', '')).toEqual([]);
});

test('LinePattern.searchWithin() ignores case when asked', () => {
  expect(search('WORD', 'a word')).toEqual([]);
  expect(search('WORD', 'a word', true)).toEqual(['1:3']);
});

test('LinePattern takes patterns that are valid with or without Unicode mode', () => {
  expect(search('\\p{Lu}', 'aÄ')).toEqual(['1:2']);
  expect(search('a\\-b{', 'a-b{')).toEqual(['1:1']);
});

test('LinePattern refuses what is not a pattern', () => {
  expect(() => new LinePattern('(', false)).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: 'Cannot search for "(": it is not a pattern',
    }),
  );
});

test('LinePattern refuses what is too large for the engine, and does not repeat it all', () => {
  expect(() => new LinePattern(`a?${'x'.repeat(200_000)}`, false)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(/^.{1,400}: it is not a pattern$/) }),
  );
});

test('LinePattern.searchWithin() shows the part of a long line that matches', () => {
  const line = `${'x'.repeat(1000)}needle${'y'.repeat(1000)}`;
  const [match] = new LinePattern('needle', false).searchWithin(AMPLE_MS, [line])![0]!;
  expect(match).toMatchObject({ column: 1001 });
  expect(match!.text).toMatch(/^…x+needley+…$/);
  expect(match!.text.length).toBeLessThanOrEqual(302);
});

test('LinePattern.searchWithin() gives up on a pattern that would take for ever', () => {
  const pattern = new LinePattern('(a+)+$', false);
  expect(pattern.searchWithin(20, [`${'a'.repeat(60)}b`])).toBeUndefined();
  expect(pattern.searchWithin(AMPLE_MS, ['aa'])![0]).toHaveLength(1);
});
