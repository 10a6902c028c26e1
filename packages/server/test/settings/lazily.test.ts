import { expect, test } from 'vitest';
import { lazily } from '../../src/settings/lazily.js';

test('lazily() makes a value when it is first asked for, and once', () => {
  const made: object[] = [];
  const value = lazily(() => {
    const each = {};
    made.push(each);
    return each;
  });
  expect(made).toEqual([]);
  expect(value()).toBe(value());
  expect(made).toHaveLength(1);
});

test('lazily() keeps a value that is undefined', () => {
  let times = 0;
  const value = lazily(() => {
    times += 1;
    return undefined;
  });
  value();
  value();
  expect(times).toBe(1);
});
