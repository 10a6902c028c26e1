import { expect, test } from 'vitest';
import { ServerBudget } from '../../src/pool/server-budget.js';

function entry(lastUsed: number, busy = false) {
  const made = { lastUsed, busy, aside: false, putAside: async () => void (made.aside = true) };
  return made;
}

test('ServerBudget.add() puts aside who was not asked for longest, and never who is at work', async () => {
  const budget = new ServerBudget(2);
  const [busy, older, newer] = [entry(1, true), entry(2), entry(3)];
  for (const each of [busy, newer, older]) await budget.add(each);
  expect([busy, older, newer].map(({ aside }) => aside)).toEqual([false, false, true]);
  await budget.add(entry(4));
  expect([busy.aside, older.aside]).toEqual([false, true]);
  expect(budget.size).toBe(2);
});

test('ServerBudget.add() waits rather than cut off work or go over the limit', async () => {
  const budget = new ServerBudget(1);
  const busy = entry(1, true);
  await budget.add(busy);
  let isIn = false;
  const adding = budget.add(entry(2)).then(() => (isIn = true));
  await Promise.resolve();
  expect([isIn, budget.size]).toEqual([false, 1]);
  busy.busy = false;
  budget.wake();
  await adding;
  expect([busy.aside, budget.size]).toEqual([true, 1]);
});

test('ServerBudget.add() leaves its place to one that is wanted again while it ends, and counts it', async () => {
  const budget = new ServerBudget(2);
  const again = { ...entry(1), putAside: async () => void (again.busy = true) };
  const other = entry(2);
  for (const each of [again, other]) await budget.add(each);
  await budget.add(entry(3));
  expect([other.aside, budget.size]).toEqual([true, 2]);
});
