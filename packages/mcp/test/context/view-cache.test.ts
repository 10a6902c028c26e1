import type { WorkspaceView } from '@rootward/core';
import { expect, test } from 'vitest';
import { ViewCache } from '../../src/context/view-cache.js';
import { FakeClock } from '../../../../testing/fake-clock.js';

const view = (rejected: readonly string[] = []) =>
  ({ snapshot: () => ({ rejected }) }) as unknown as WorkspaceView;

test('ViewCache.get() makes a view once per content of its inputs', async () => {
  const cache = new ViewCache(new FakeClock());
  const first = await cache.get([{ a: 1 }], async () => view());
  expect(await cache.get([{ a: 1 }], async () => view())).toBe(first);
  expect(await cache.get([{ a: 2 }], async () => view())).not.toBe(first);
});

test('ViewCache.get() tells long lists apart, too', async () => {
  const cache = new ViewCache(new FakeClock());
  const long = Array.from({ length: 5000 }, (_, i) => `/project/${String(i)}`);
  const first = await cache.get(long, async () => view());
  expect(await cache.get([...long], async () => view())).toBe(first);
  expect(await cache.get([...long, '/one/more'], async () => view())).not.toBe(first);
});

test('ViewCache.get() makes a view anew after half a minute', async () => {
  const clock = new FakeClock();
  const cache = new ViewCache(clock);
  const first = await cache.get('x', async () => view());
  clock.advance(29_999);
  expect(await cache.get('x', async () => view())).toBe(first);
  clock.advance(1);
  expect(await cache.get('x', async () => view())).not.toBe(first);
});

test('ViewCache.get() keeps no view with a rejected root, which may be fine the next moment', async () => {
  const cache = new ViewCache(new FakeClock());
  const first = await cache.get('x', async () => view(['gone']));
  expect(await cache.get('x', async () => view())).not.toBe(first);
});

test('ViewCache.get() makes a view each time of what is nested too deep to be compared', async () => {
  const cache = new ViewCache(new FakeClock());
  const deep: unknown = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));
  const first = await cache.get(deep, async () => view());
  expect(await cache.get(deep, async () => view())).not.toBe(first);
});

test('ViewCache.get() keeps no failure', async () => {
  const cache = new ViewCache(new FakeClock());
  await expect(cache.get('x', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(cache.get('x', async () => view())).resolves.toBeDefined();
});

test('ViewCache.get() forgets what was used least recently', async () => {
  const cache = new ViewCache(new FakeClock());
  const first = await cache.get(0, async () => view());
  for (let i = 1; i < 64; i++) await cache.get(i, async () => view());
  expect(await cache.get(0, async () => view())).toBe(first);
  await cache.get(64, async () => view());
  expect(await cache.get(0, async () => view())).toBe(first);
  let made = 0;
  await cache.get(1, async () => {
    made += 1;
    return view();
  });
  expect(made).toBe(1);
});
