import { expect, test } from 'vitest';
import { ServerBudget } from '../../src/pool/server-budget.js';

function entry(lastUsed: number, busy = false) {
  const made = { lastUsed, busy, aside: false, putAside: () => void (made.aside = true) };
  return made;
}

test('ServerBudget.add() puts aside who was not asked for longest, and never who is at work', () => {
  const budget = new ServerBudget(2);
  const [busy, older, newer] = [entry(1, true), entry(2), entry(3)];
  for (const each of [busy, newer, older]) budget.add(each);
  expect([busy, older, newer].map(({ aside }) => aside)).toEqual([false, false, true]);
  budget.add(entry(4));
  expect([busy.aside, older.aside]).toEqual([false, true]);
  expect(budget.size).toBe(2);
});

test('ServerBudget.add() goes over the limit rather than cut off work', () => {
  const budget = new ServerBudget(1);
  const busy = entry(1, true);
  budget.add(busy);
  budget.add(entry(2));
  expect(busy.aside).toBe(false);
  expect(budget.size).toBe(2);
});
