import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Cursors } from '../../../src/tools/framework/paging.js';

test('Cursors.page() gives every item once, in order, over all pages', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 50 }), fc.integer({ min: 1, max: 9 }), (items, size) => {
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const page = new Cursors('list', { path: 'a', cursor }).page(items, size);
        expect(page.items.length).toBeLessThanOrEqual(size);
        seen.push(...page.items);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(seen).toEqual(items);
    }),
  );
});

test('Cursors.page() says when what a cursor stands for is gone', () => {
  const cursor = new Cursors('list', {}).page([1, 2, 3], 2).nextCursor;
  expect(() => new Cursors('list', { cursor }).page([1, 2], 2)).toThrow(/no longer there$/);
});

const { nextCursor: given = '' } = new Cursors('list', { path: 'a' }).page([1, 2, 3], 2);
const mark = given.slice(1);

test.each([
  '',
  '2',
  '-1',
  'x',
  mark,
  ` 2${mark}`,
  `-2${mark}`,
  `1.5${mark}`,
  `1e3${mark}`,
  `${given} `,
  `${'9'.repeat(40)}${mark}`,
])('a cursor that is made up is refused: %j', (cursor) => {
  expect(() => new Cursors('list', { path: 'a', cursor }).page([1, 2, 3], 2)).toThrow(
    /^Cannot continue at cursor .*: it is not from a page of this call$/,
  );
});

const read = (tool: string, args: Record<string, unknown>) => new Cursors(tool, { ...args, cursor: given });

test('a cursor fits its tool and the arguments it was given for, whatever the handle', () => {
  expect(read('list', { path: 'a', workspace: 'other' }).start).toBe(2);
  expect(() => read('search', { path: 'a' })).toThrow(/not from a page of this call/);
  expect(() => read('list', { path: 'b' })).toThrow(/not from a page of this call/);
});
