import { expect, test } from 'vitest';
import { pageOf } from '../../src/platform/page.js';

const options = { size: 2, cursorAt: (position: number) => `at ${position}`, gone: () => new Error('gone') };

test('pageOf() cuts pages until the last, which has no cursor', () => {
  expect(pageOf([1, 2, 3], { ...options, start: 0 })).toEqual({ items: [1, 2], nextCursor: 'at 2' });
  expect(pageOf([1, 2, 3], { ...options, start: 2 })).toEqual({ items: [3] });
  expect(pageOf([], { ...options, start: 0 })).toEqual({ items: [] });
});

test('pageOf() throws for a page that has nothing left', () => {
  expect(() => pageOf([1, 2], { ...options, start: 2 })).toThrow('gone');
});
