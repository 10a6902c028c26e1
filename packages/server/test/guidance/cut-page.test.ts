import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutPage } from '../../src/guidance/guide.js';

describe('cutPage()', () => {
  test('ends after a line where there is one', () => {
    expect(cutPage('one\ntwo\nthree', 0, 9)).toEqual({ text: 'one\ntwo\n', end: 8 });
    expect(cutPage('one\ntwo\nthree', 8, 9)).toEqual({ text: 'three', end: 13 });
    expect(cutPage('endless', 0, 3)).toEqual({ text: 'end', end: 3 });
  });

  test('pages add up to the text, none is longer than allowed, and no character is split', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '😀', 'é') });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 10 }), (whole, size) => {
        let joined = '';
        for (let start = 0; start < whole.length;) {
          const page = cutPage(whole, start, size);
          expect(page.text.length).toBeLessThanOrEqual(size);
          expect(page.text.isWellFormed()).toBe(true);
          expect(page.end).toBeGreaterThan(start);
          joined += page.text;
          start = page.end;
        }
        expect(joined).toBe(whole);
      }),
    );
  });
});
