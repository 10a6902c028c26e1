import { expect, test } from 'vitest';
import { requireName } from '../../../src/questions/edits/require-name.js';

test.each(['cost', 'größe', '#cost', '$cost', 'empty?', 'kebab-case', "x'", '~Cart', '`a name`', 'my.cost'])(
  'requireName() takes %s',
  (name) => {
    expect(() => requireName(name, 'price')).not.toThrow();
  },
);

test.each(['', ' ', 'a b', ' cost', 'a\nb', 'a\0b', 'x;y', 'f()', 'a,b', '`a\nb`', '``'.repeat(2) + ' '])(
  'requireName() refuses %j',
  (name) => {
    expect(() => requireName(name, 'price')).toThrow(expect.objectContaining({ code: 'invalid-option' }));
  },
);

test.each([
  ['#count', '#total'],
  ['Cart.#count', '#total'],
  ['r#type', 'r#match'],
  ['a::r#type', 'r#match'],
  ['.button', '.link'],
])('requireName() takes the mark of a name for a part of it: %s, %s', (symbol, name) => {
  expect(() => requireName(name, symbol)).not.toThrow();
});

test('requireName() leaves the mark of a name on it where it asks for the last part alone', () => {
  expect(() => requireName('Cart.#total', 'Cart.#count')).toThrow(
    expect.objectContaining({ instruction: 'Give the new name alone: "#total"' }),
  );
});

test.each([
  ['Cart.total', 'Cart.sum'],
  ['Cart#total', 'Cart#sum'],
  ['a::Cart::total', 'a::Cart::sum'],
])('requireName() asks for the last part alone where the rest is repeated: %s, %s', (symbol, name) => {
  expect(() => requireName(name, symbol)).toThrow(
    expect.objectContaining({ code: 'invalid-option', instruction: 'Give the new name alone: "sum"' }),
  );
});

test.each([
  ['typescript', '1abc'],
  ['typescript', 'foo.bar'],
  ['typescript', 'class'],
  ['python', 'lambda'],
  ['python', 'a-b'],
  ['go', 'func'],
  ['c', 'struct'],
  ['rust', 'fn'],
])('requireName() refuses what cannot be a name in %s: %s', (languageId, name) => {
  expect(() => requireName(name, 'price', languageId)).toThrow(
    expect.objectContaining({ code: 'invalid-option' }),
  );
});

test.each([
  ['typescript', '#cost'],
  ['typescript', 'größe'],
  ['python', '値段'],
  ['rust', 'r#type'],
  ['shellscript', 'my-cost'],
  ['ruby', 'empty?'],
])('requireName() takes a name of %s: %s', (languageId, name) => {
  expect(() => requireName(name, 'price', languageId)).not.toThrow();
});
