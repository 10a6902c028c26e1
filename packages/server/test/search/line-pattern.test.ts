import { expect, test, vi } from 'vitest';
import { LinePattern } from '../../src/search/line-pattern.js';

const search = (pattern: string, text: string, ignoreCase = false) =>
  new LinePattern(pattern, ignoreCase).search([text])[0]!.map(({ line, column }) => `${line}:${column}`);

test('LinePattern.search() matches line by line, anchors included, whatever the line ends are', () => {
  expect(search('^b$', 'a\r\nb\r\nab\nb')).toEqual(['2:1', '4:1']);
  expect(search('a\\s+b', 'a\nb\na b')).toEqual(['3:1']);
  expect(search('b', 'ab\n\nb\n')).toEqual(['1:2', '3:1']);
  expect(search('x', '')).toEqual([]);
});

test('LinePattern.search() ignores case when asked', () => {
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

test('LinePattern.search() gives up on a pattern that would take for ever', () => {
  const pattern = new LinePattern('(a+)+$', false);
  expect(() => pattern.search([`${'a'.repeat(60)}b`])).toThrow(
    expect.objectContaining({ code: 'invalid-option', message: expect.stringMatching(/takes too long$/) }),
  );
  expect(pattern.search(['aa'])[0]).toHaveLength(1);
});

test('LinePattern.search() gives a pattern more time where the processor is busy with others, and ends all the same', () => {
  const busy = vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
  try {
    const start = performance.now();
    expect(() => new LinePattern('(a+)+$', false).search([`${'a'.repeat(60)}b`])).toThrow('takes too long');
    expect(performance.now() - start).toBeGreaterThan(3000);
  } finally {
    busy.mockRestore();
  }
}, 60_000);

test('LinePattern.search() shows the part of a long line that matches', () => {
  const line = `${'x'.repeat(1000)}needle${'y'.repeat(1000)}`;
  const [match] = new LinePattern('needle', false).search([line])[0]!;
  expect(match).toMatchObject({ column: 1001 });
  expect(match!.text).toMatch(/^…x+needley+…$/);
  expect(match!.text.length).toBeLessThanOrEqual(302);
});
