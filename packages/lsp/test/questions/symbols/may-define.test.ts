import { expect, test } from 'vitest';
import { isStatic, mayDefine } from '../../../src/questions/symbols/may-define.js';

test.each([
  ['int word(int a, int (*b)(void)) {\n  return a;\n}', true],
  ['int word(int a)\n{\n}', true],
  ['struct word {\n  int a;\n};', true],
  ['int word(int a);', false],
  ['int run(void) { if (word(1)) { return 1; } return word(2); }', false],
  ['int run(void) { while (word()) { } }', false],
  ['int words(void) { }', false],
  ['int run(void) { return word }', false],
])('mayDefine() of %j is %s', (code, expected) => {
  expect(mayDefine(code, 'word')).toBe(expected);
});

test('isStatic() looks at the declaration only', () => {
  const code = 'static int one(void) {}\nint two(void) {}\nstatic\nint three(void) {}\n';
  expect(isStatic(code, { line: 0, character: 11 })).toBe(true);
  expect(isStatic(code, { line: 1, character: 4 })).toBe(false);
  expect(isStatic(code, { line: 3, character: 4 })).toBe(true);
});
