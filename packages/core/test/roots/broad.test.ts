import { expect, test } from 'vitest';
import { isBroad } from '../../src/roots/broad.js';

test.each([
  ['posix', '/', '/home/u', true],
  ['posix', '/home', '/home/u', true],
  ['posix', '/home/u', '/home/u', true],
  ['posix', '/home/u', '/home/u/', true],
  ['posix', '/home/u/work', '/home/u', false],
  ['posix', '/home/u2', '/home/u', false],
  ['posix', '/hom', '/home/u', false],
  ['posix', '/srv', '/', false],
  ['posix', '/srv', '', false],
  ['windows', 'C:\\', 'D:\\Users\\u', true],
  ['windows', 'C:\\Users', 'c:\\users\\U', true],
  ['windows', 'C:\\Users\\u', 'C:\\Users\\u', true],
  ['windows', 'C:\\Users\\u\\work', 'C:\\Users\\u', false],
  ['windows', 'C:\\work', 'C:\\Users\\u', false],
] as const)('isBroad() by %s rules: %j with home %j is %s', (style, path, home, expected) => {
  expect(isBroad(path, home, style)).toBe(expected);
});
