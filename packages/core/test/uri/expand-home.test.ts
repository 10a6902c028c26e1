import { expect, test } from 'vitest';
import { expandHome } from '../../src/uri/expand-home.js';

test.each([
  ['~', '/home/u'],
  ['~/x', '/home/u/x'],
  ['~/a/../b', '/home/u/a/../b'],
  ['~other/x', '~other/x'],
  ['a/~/x', 'a/~/x'],
  ['/x', '/x'],
])('expandHome() makes %j %j', (path, expanded) => {
  expect(expandHome(path, '/home/u')).toBe(expanded);
});
