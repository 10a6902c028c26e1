import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { occurrences } from '../../src/edit/find-matches.js';

const text = (most: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: most });

test('occurrences() finds what looking at every place finds', () => {
  fc.assert(
    fc.property(text(40), text(5), (all, wanted) => {
      fc.pre(wanted !== '');
      const places = Array.from(all, (_, at) => at).filter((at) => all.startsWith(wanted, at));
      expect(occurrences(all, wanted, 100)).toEqual(places);
      expect(occurrences(all, wanted, 2)).toEqual(places.slice(0, 2));
    }),
  );
});

test('occurrences() gets through texts that repeat themselves', () => {
  const [half, all] = ['a'.repeat(500_000), 'a'.repeat(2_000_000)];
  expect(occurrences(all, `${half}b${half}`, 1)).toEqual([]);
  expect(occurrences(all, half, 2)).toEqual([0, 1]);
});
