import { expect, test } from 'vitest';
import { containsPath } from '../../src/uri/contains-path.js';

test.each([
  ['posix', '/a', '/a', true],
  ['posix', '/a', '/a/b', true],
  ['posix', '/', '/a', true],
  ['posix', '/', '/', true],
  ['posix', '/a', '/ab', false],
  ['posix', '/a', "/a'", false],
  ['posix', '/a', '/a ', false],
  ['posix', '/a', '/A', false],
  ['posix', '/a', '/', false],
  ['posix', '/a', '/a\\b', false],
  ['posix', '/root[1]', '/root1', false],
  ['windows', 'C:\\a', 'C:\\a\\b', true],
  ['windows', 'C:\\', 'C:\\a', true],
  ['windows', 'C:\\a', 'C:\\ab', false],
  ['windows', 'C:\\a', 'D:\\a', false],
] as const)('containsPath() by %s rules: %j, %j is %s', (style, directory, path, expected) => {
  expect(containsPath(directory, path, style)).toBe(expected);
});
