import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutAt, printable, MAX_PRINTABLE_LENGTH } from '../../src/uri/printable.js';

test('printable() escapes what could forge a line', () => {
  expect(printable('a\nb\0c\u2028d\uD800')).toBe('a\\u000ab\\u0000c\\u2028d\\ud800');
});

test('printable() leaves ordinary text alone', () => {
  expect(printable('file:///grüße/🙂')).toBe('file:///grüße/🙂');
});

test('printable() is one well-formed line of bounded length for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      const shown = printable(text);
      expect(shown.length).toBeLessThanOrEqual(MAX_PRINTABLE_LENGTH);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u);
    }),
  );
});

test('cutAt() does not split a surrogate pair', () => {
  expect(cutAt('ab🙂', 3)).toBe('ab');
  expect(cutAt('ab🙂', 4)).toBe('ab🙂');
  expect(cutAt('abc', 2)).toBe('ab');
});
