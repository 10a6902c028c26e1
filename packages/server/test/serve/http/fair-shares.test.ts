import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairShares } from '../../../src/serve/http/fair-shares.js';

/** Names of places begin with that of their owner. */
function share(...places: readonly string[]): FairShares<string> {
  const shares = new FairShares<string>();
  for (const place of places) shares.add(place.charAt(0), place);
  return shares;
}
const never = (): boolean => false;
const always = (): boolean => true;

test('FairShares.giveUp() takes from whoever has most, an idle place first', () => {
  expect(share('a1', 'a2', 'a3', 'b1').giveUp('b', never)).toBe('a1');
  expect(share('a1', 'a2', 'a3', 'b1').giveUp('b', (place) => place === 'a2')).toBe('a2');
  expect(share('a1', 'a2', 'b1').giveUp('c', never)).toBe('a1');
});

test('FairShares.giveUp() takes only an idle place of the owner where that has as many as others, or one less', () => {
  for (const places of [
    ['a1', 'b1'],
    ['a1', 'a2', 'b1'],
  ]) {
    expect(share(...places).giveUp('b', never)).toBeUndefined();
    expect(share(...places).giveUp('b', always)).toBe('b1');
  }
  expect(share('a1', 'b1').giveUp('c', always)).toBeUndefined();
});

test('FairShares.giveUp() ends with nobody more than one place behind, however often owners ask', () => {
  const owner = fc.constantFrom('a', 'b', 'c');
  fc.assert(
    fc.property(fc.array(owner, { minLength: 1, maxLength: 30 }), fc.array(owner), (first, asking) => {
      const shares = new FairShares<object>();
      for (const name of first) shares.add(name, {});
      const patient = first.flatMap(() => ['a', 'b', 'c']);
      for (const name of [...asking, ...patient]) {
        const left = shares.giveUp(name, never);
        if (left === undefined) continue;
        expect(shares.ownerOf(left)).toBeUndefined();
        shares.add(name, {});
      }
      expect(shares.size).toBe(first.length);
      // By then the shares are fair, and nobody gives up a place for anybody.
      for (const name of ['a', 'b', 'c']) expect(shares.giveUp(name, never)).toBeUndefined();
    }),
  );
});
