import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { pageOf, readCursor } from '../../src/tools/paging.js';

test('pageOf() gives every item once, in order, over all pages', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 50 }), fc.integer({ min: 1, max: 9 }), (items, size) => {
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const page = pageOf(items, cursor, size);
        expect(page.items.length).toBeLessThanOrEqual(size);
        seen.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(items);
    }),
  );
});

test.each(['', '-1', '1.5', 'x', '1e3', ' 1', '9'.repeat(40)])('readCursor() refuses %j', (cursor) => {
  expect(() => readCursor(cursor)).toThrow(/^Cannot continue at cursor/);
});
