import { expect, test } from 'vitest';
import { chooseToEnd, type Held } from '../../src/inner/make-room.js';

/** Names such as `a3`: principal and time of use; a busy one ends with an exclamation mark. */
function held(...names: readonly string[]): readonly Held[] {
  return names.map((name) => ({
    principal: name.slice(0, 1),
    usedAt: Number.parseInt(name.slice(1), 10),
    isBusy: name.endsWith('!'),
  }));
}

test.each([
  ['an idle one of the same principal, however long others idle', ['b1', 'a2!', 'a4', 'a3'], 'a', 3],
  ['the one of others that idles longest, where the principal has none', ['b2', 'b1', 'a0!'], 'a', 1],
  ['a busy one of the principal that has most, where none idles', ['c0!', 'b2!', 'b1!', 'b3!'], 'a', 2],
  ['a busy one only for a principal with at least two less', ['b1!', 'b2!', 'b3!', 'a4!'], 'a', 0],
])('chooseToEnd() takes %s', (_, names, principal, index) => {
  const all = held(...names);
  expect(chooseToEnd(all, principal)).toBe(all[index]);
});

test('chooseToEnd() takes none where all are busy and the principal has as many, or one less', () => {
  expect(chooseToEnd(held('a1!', 'b2!'), 'a')).toBeUndefined();
  expect(chooseToEnd(held('b1!', 'b2!', 'a3!'), 'a')).toBeUndefined();
  expect(chooseToEnd(held('a1!', 'a2!', 'a3!'), 'a')).toBeUndefined();
});
