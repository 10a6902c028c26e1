import { OperatorLimits, type Root } from '@rootward/core';
import { expect, test } from 'vitest';
import type { Keeper } from '../../src/inner/keeper.js';
import { SideServers } from '../../src/session/side-servers.js';

/** As in the source. */
const MAX_SIDES = 8;

interface Kept {
  busy: boolean;
  closed: boolean;
}

function rootsAt(path: string): readonly Root[] {
  const root: Pick<Root, 'path' | 'access'> = { path, access: 'read-write' };
  return [root as Root];
}

/** Servers for so many folders, with calls under way. */
function filled(): { readonly sides: SideServers; readonly kept: readonly Kept[] } {
  const kept: Kept[] = [];
  const sides = new SideServers(() => {
    const state = { busy: true, closed: false, settle: () => undefined, close: () => (state.closed = true) };
    kept.push(state);
    return state as Partial<Keeper> as Keeper;
  });
  for (let number = 0; number < MAX_SIDES; number++) sides.for(rootsAt(`/${String(number)}`));
  return { sides, kept };
}

test('SideServers.for() refuses one more where all have calls under way, with the reason', () => {
  const { sides, kept } = filled();
  expect(() => sides.for(rootsAt('/more'))).toThrow('calls are under way in 8 other folders');
  expect(kept).toHaveLength(MAX_SIDES);
  expect(kept.some(({ closed }) => closed)).toBe(false);
  expect(sides.for(rootsAt('/3'))).toBe(kept[3]);
  sides.close('the test is over');
});

test('SideServers.for() ends the one that was used longest ago and has no call under way', () => {
  const { sides, kept } = filled();
  kept[2]!.busy = false;
  kept[1]!.busy = false;
  sides.for(rootsAt('/1'));
  sides.for(rootsAt('/more'));
  expect(kept.map(({ closed }) => closed).indexOf(true)).toBe(2);
  expect(kept.filter(({ closed }) => closed)).toHaveLength(1);
  sides.close('the test is over');
});

test('SideServers.for() makes room for a principal that has none among those of one that has most', () => {
  const { sides, kept } = filled();
  sides.for(rootsAt('/more'), 'somebody else');
  expect(kept.map(({ closed }) => closed).indexOf(true)).toBe(0);
  expect(kept.filter(({ closed }) => closed)).toHaveLength(1);
  sides.close('the test is over');
});

test('SideServers.for() starts nothing for roots that the operator has limited since they were read', () => {
  const { sides, kept } = filled();
  const limits = new OperatorLimits();
  sides.obey(limits);
  limits.set('/more', 'revoked');
  expect(() => sides.for(rootsAt('/more'))).toThrow('the operator took a folder away');
  expect(kept).toHaveLength(MAX_SIDES);
  sides.close('the test is over');
});
