import { expect, test, vi } from 'vitest';
import { MemoryStore } from '../../src/index.js';
import { keyDigest } from '../../src/store/session-store.js';
import { command, openRevocations } from '../fixtures/revocations.js';
import { eventually } from '../../../../testing/eventually.js';
import { FakeClock } from '../../../../testing/fake-clock.js';

const KEY = 'revoked';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test('Revocations go by the clock of the store, whatever that of a machine says', async () => {
  const clock = new FakeClock(Date.now());
  const store = new MemoryStore(clock);
  const instance = openRevocations(store, clock);
  const behind = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 16 * MINUTE);
  await command(store, (revocations) => revocations.revoke('handle', 'stolen'));
  behind.mockRestore();
  await eventually(() => expect(instance.isRevoked('handle', 'stolen')).toBe(true));
  const ahead = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 16 * MINUTE);
  expect(instance.isRevoked('handle', 'stolen')).toBe(true);
  ahead.mockRestore();
  clock.advance(15 * MINUTE);
  await eventually(() => expect(instance.isRevoked('handle', 'stolen')).toBe(false));
});

test('Revocations holds what is revoked where the clock of the store leaps ahead', async () => {
  const [clock, theirs] = [new FakeClock(Date.now()), new FakeClock(Date.now())];
  const store = new MemoryStore(theirs);
  const instance = openRevocations(store, clock);
  await instance.revoke('handle', 'stolen');
  theirs.advance(HOUR);
  const now = vi.spyOn(store, 'now');
  await eventually(() => expect(now.mock.calls.length).toBeGreaterThan(2));
  expect(instance.isRevoked('handle', 'stolen')).toBe(true);
  // Also where somebody who takes it for over writes the list, and where it is revoked for as long as others are.
  await command(store, (revocations) => revocations.revoke('handle', 'other'));
  await eventually(() => expect(instance.isRevoked('handle', 'other')).toBe(true));
  expect(instance.isRevoked('handle', 'stolen')).toBe(true);
  await instance.revoke('handle', 'last');
  await command(store, (revocations) => {
    expect(revocations.isRevoked('handle', 'last')).toBe(true);
    return Promise.resolve();
  });
  for (const each of [clock, theirs]) each.advance(15 * MINUTE);
  await eventually(() => expect(instance.isRevoked('handle', 'stolen')).toBe(false));
});

test.each<[string, () => unknown]>([
  ['NaN', () => NaN],
  ['a string', () => String(Date.now())],
  ['seconds', () => Math.floor(Date.now() / 1000)],
  ['microseconds', () => Date.now() * 1000],
  ['nanoseconds', () => Date.now() * 1e6],
  ['a fraction', () => Date.now() + 0.5],
  ['undefined', () => undefined],
])('Revocations lets nobody in and forgets nothing where the time of the store is %s', async (_, time) => {
  const store = new MemoryStore();
  await command(store, (revocations) => revocations.revoke('principal', 'thief'));
  const list = await store.read(KEY);
  const instance = openRevocations(store);
  await instance.settled();
  const now = vi.spyOn(store, 'now').mockImplementation(() => Promise.resolve(time() as number));
  const fresh = openRevocations(store);
  await expect(fresh.requireRead()).rejects.toThrow(/Cannot tell what was revoked yet/);
  for (const each of [instance, fresh]) {
    await expect(each.revoke('session', 'other')).rejects.toThrow(
      /^Cannot use the session store: its time is .*, not whole milliseconds since the epoch$/,
    );
  }
  await eventually(() => expect(() => instance.requireValid('handle', 'any')).toThrow(/Cannot tell/));
  expect(instance.isRevoked('principal', 'thief')).toBe(true);
  expect(await store.read(KEY)).toBe(list);
  now.mockRestore();
  await eventually(() => expect(fresh.isRevoked('principal', 'thief')).toBe(true));
});

test('Revocations holds a principal that an earlier version revoked, however late it is', async () => {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const name = `principal ${keyDigest('thief')}`;
  const list = { entries: { [name]: [Number.MAX_SAFE_INTEGER, clock.now()] }, v: 1 };
  await store.replace(KEY, undefined, JSON.stringify(list), Infinity);
  clock.advance(1000 * 365 * 24 * HOUR);
  const instance = openRevocations(store);
  await instance.settled();
  expect(instance.isRevoked('principal', 'thief')).toBe(true);
});
