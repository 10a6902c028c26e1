import { expect, test } from 'vitest';
import {
  isNeverElsewhere,
  isOnlyDeclared,
  isStatic,
  mayDefine,
  namedByMacro,
} from '../../../src/questions/symbols/may-define.js';

test.each([
  ['int word(int a, int (*b)(void)) {\n  return a;\n}', true],
  ['int word(int a)\n{\n}', true],
  ['struct word {\n  int a;\n};', true],
  ['int word(int a);', false],
  ['int run(void) { if (word(1)) { return 1; } return word(2); }', false],
  ['int run(void) { while (word()) { } }', false],
  ['int words(void) { }', false],
  ['int run(void) { return word }', false],
  ['int word = 1;', true],
  ['char *word[2][3], other;', true],
  ['int a, word;', true],
  ['extern int word;', false],
  ['typedef int word;', false],
  ['struct word;', false],
  ['int run(void) { int word = 1; return word; }', false],
  ['int run(int word, int b);', false],
  ['namespace a { namespace b {\nint C::word = 0;\n} }', true],
  ['extern     {\nint word;\n}', true],
  ['int run(void) {\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\nint word;', true],
  ['#define OPEN {\nint word;', true],
  ['#define OPEN do { \\\n  {\nint word;', true],
])('mayDefine() of %j is %s', (code, expected) => {
  expect(mayDefine(code, 'word')).toBe(expected);
});

test('isStatic() looks at the declaration only', () => {
  const code = 'static int one(void) {}\nint two(void) {}\nstatic\nint three(void) {}\n';
  expect(isStatic(code, { line: 0, character: 11 })).toBe(true);
  expect(isStatic(code, { line: 1, character: 4 })).toBe(false);
  expect(isStatic(code, { line: 3, character: 4 })).toBe(true);
});

test.each([
  ['#define other word\n#include <a.c>\n', true],
  ['#define other word\r\n# include <a.c>', true],
  ['#define other word\nint a;', false],
  ['#define other (word.a)\n#include <a.c>\n', false],
  ['#define word other\n', false],
  ['#define other(a) word(a)\n', false],
  ['#ifdef word\n#endif\n', false],
  ['DEFINE(word, 1) {\n}', true],
  ['DEFINE(other, word)\n', true],
  ['int run(void) { CHECK(word); }', false],
  ['int run(int a, int word);', false],
])('namedByMacro() of %j finds a place: %s', (code, expected) => {
  expect(namedByMacro(code, 'word') !== undefined).toBe(expected);
});

test.each([
  ['int word(int a);', true],
  ['int word(int a) { return a; }', false],
  ['int word(int a)\n{', false],
  ['virtual int word() = 0;', false],
  ['word() = default;', false],
  ['extern int word;', true],
  ['extern int word = 1;', false],
  ['int word;', false],
  ['typedef int word;', false],
  ['struct word;', true],
  ['int run(struct word *a) { }', true],
  ['struct word *run(void) { }', true],
  ['struct word {', false],
  ['class word final : public Other {', false],
  ['enum word : int {', false],
  ['#define word(a) a', false],
  ['int other; int word(void);', true],
])('isOnlyDeclared() of %j is %s', (code, expected) => {
  const place = { line: 0, character: code.indexOf('word') };
  expect(isOnlyDeclared(code, place, 'word', false)).toBe(expected);
});

test('isOnlyDeclared() takes static members of a class for declarations', () => {
  const place = { line: 0, character: 'static int '.length };
  expect(isOnlyDeclared('static int word;', place, 'word', true)).toBe(true);
  expect(isOnlyDeclared('static int word;', place, 'word', false)).toBe(false);
  expect(isOnlyDeclared('static int word = 1;', place, 'word', true)).toBe(false);
});

test.each([
  ['typedef struct a word;', true],
  ['#  define word 1', true],
  ['#define word(a) a', true],
  ['#define other word', false],
  ['int word(void) { }', false],
])('isNeverElsewhere() of %j is %s', (code, expected) => {
  expect(isNeverElsewhere(code, { line: 0, character: code.indexOf('word') })).toBe(expected);
});
