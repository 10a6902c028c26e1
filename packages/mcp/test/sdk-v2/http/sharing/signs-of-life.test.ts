import type { Disposable } from '@rootward/core';
import { expect, onTestFinished, test } from 'vitest';
import { MemoryStore, RootwardMcpError } from '../../../../src/index.js';
import { SharedSessions } from '../../../../src/sdk-v2/http/sharing/shared-sessions.js';
import { SignsOfLife } from '../../../../src/sdk-v2/http/sharing/signs-of-life.js';
import { FakeClock, settle } from '../../../../../../testing/fake-clock.js';

const DEAD_MS = 10_000;
const ignore = (): void => undefined;

class Store extends MemoryStore {
  isDown = false;
  /** Tells those who listen that something may have been missed. */
  readonly tellMissed: (() => void)[] = [];

  override subscribe(channel: string, listener: (text: string | undefined) => void): Disposable {
    this.tellMissed.push(() => listener(undefined));
    return super.subscribe(channel, listener);
  }

  override read(key: string, ttl?: number): Promise<string | undefined> {
    if (this.isDown) return Promise.reject(new RootwardMcpError('store-unavailable', 'It hangs'));
    return super.read(key, ttl);
  }
}

interface Process {
  readonly signs: SignsOfLife;
  /** Runs its timers, and nobody else's. */
  readonly clock: FakeClock;
}

async function start(store: Store, name: string): Promise<Process> {
  const clock = new FakeClock();
  const signs = new SignsOfLife(store, name, { clock, onBeat: ignore });
  await signs.start();
  onTestFinished(() => signs.close());
  return { signs, clock };
}

/** Whether it still counts as alive for one that looks for it again and again, as whoever waits for an answer does. */
async function isAlive(name: string, store: FakeClock, by: Process): Promise<boolean> {
  const LOOKS = 5;
  for (let look = 0; look < LOOKS; look++) {
    if (!(await by.signs.isAlive(name))) return false;
    await pass(500, store, by);
  }
  return true;
}

/** Lets time pass for the store and for these, but not for the others. */
async function pass(milliseconds: number, store: FakeClock, ...processes: readonly Process[]): Promise<void> {
  const STEP_MS = 500;
  for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
    store.advance(STEP_MS);
    for (const { clock } of processes) await clock.advanceAndSettle(STEP_MS);
  }
}

test('a process that falls silent counts as dead after six seconds', async () => {
  const time = new FakeClock();
  const store = new Store(time);
  const [first, second] = [await start(store, 'first'), await start(store, 'second')];
  await pass(DEAD_MS, time, first, second);
  expect(await isAlive('first', time, second)).toBe(true);
  await pass(2_000, time, second);
  expect(await isAlive('first', time, second)).toBe(false);
});

test('a process whose sign of life the store removed is not declared dead, and gives it again', async () => {
  const time = new FakeClock();
  const store = new Store(time);
  const [first, second] = [await start(store, 'first'), await start(store, 'second')];
  await pass(DEAD_MS, time, first, second);
  await store.replace('instance:first', 'alive', undefined, 0);
  expect(await second.signs.isAlive('first')).toBe(true);
  for (let look = 0; look < 10; look++) {
    await pass(500, time, first, second);
    expect(await second.signs.isAlive('first')).toBe(true);
  }
  expect(await store.read('instance:first')).toBe('alive');
});

test('a process whose sign of life the store removes again and again is not declared dead', async () => {
  const time = new FakeClock();
  const store = new Store(time);
  const [first, second] = [await start(store, 'first'), await start(store, 'second')];
  await pass(DEAD_MS, time, first, second);
  for (let round = 0; round < 5; round++) {
    await store.replace('instance:first', 'alive', undefined, 0);
    expect(await second.signs.isAlive('first')).toBe(true);
    await pass(1_500, time, first, second);
  }
});

test('a process that closes while it gives its first sign gives no more of them', async () => {
  const clock = new FakeClock();
  const signs = new SignsOfLife(new Store(clock), 'first', { clock, onBeat: ignore });
  const started = signs.start();
  await signs.close();
  await started;
  expect(clock.timers).toBe(0);
});

test('a process that is missing is declared dead also by one that did not see it missing first', async () => {
  const time = new FakeClock();
  const store = new Store(time);
  const [first, second] = [await start(store, 'first'), await start(store, 'second')];
  const third = await start(store, 'third');
  await pass(DEAD_MS, time, first, second, third);
  await pass(5_000, time, second, third);
  expect(await second.signs.isAlive('first')).toBe(true);
  await pass(1_500, time, third);
  expect(await third.signs.isAlive('first')).toBe(false);
});

test('one that has left counts as dead at once', async () => {
  const store = new Store(new FakeClock());
  const [first, second] = [await start(store, 'first'), await start(store, 'second')];
  await first.signs.close();
  expect(await second.signs.isAlive('first')).toBe(false);
});

test('nobody counts as dead after the store hung, until all had the time to give a sign of life', async () => {
  const time = new FakeClock();
  const store = new Store(time);
  const [first, second] = [await start(store, 'first'), await start(store, 'second')];
  const third = await start(store, 'third');
  await pass(DEAD_MS, time, first, second, third);
  store.isDown = true;
  await pass(8_000, time, first, second, third);
  store.isDown = false;
  // The second one is asked before anyone gave a sign of life, and after it gave its own.
  expect(await second.signs.isAlive('first')).toBe(true);
  second.signs.giveNow();
  await pass(1_000, time, second);
  expect(await second.signs.isAlive('first')).toBe(true);
  first.signs.giveNow();
  await pass(DEAD_MS, time, first, second);
  expect(await second.signs.isAlive('first')).toBe(true);
  expect(await isAlive('third', time, second)).toBe(false);
});

test('a second break while the processes come back gives them the same time again', async () => {
  const time = new FakeClock();
  const store = new Store(time);
  const [first, second] = [await start(store, 'first'), await start(store, 'second')];
  await pass(DEAD_MS, time, first, second);
  for (let round = 0; round < 2; round++) {
    store.isDown = true;
    await pass(4_000, time, second);
    store.isDown = false;
    second.signs.giveNow();
  }
  await pass(2_500, time, second);
  expect(await isAlive('first', time, second)).toBe(true);
  expect(await isAlive('first', time, second)).toBe(false);
});

test('one that starts after a break of all others judges nobody at first', async () => {
  const time = new FakeClock();
  const store = new Store(time);
  await start(store, 'first');
  time.advance(DEAD_MS);
  const second = await start(store, 'second');
  expect(await isAlive('first', time, second)).toBe(true);
  await pass(3_000, time, second);
  expect(await isAlive('first', time, second)).toBe(false);
});

test('a process gives a sign of life as soon as the store is back', async () => {
  const time = new FakeClock();
  const store = new Store(time);
  const shared = new SharedSessions(store, {
    ttl: 60_000,
    clock: new FakeClock(),
    onNote: ignore,
    onMissed: ignore,
    onBeat: ignore,
    onerror: ignore,
  });
  onTestFinished(() => shared.close());
  await shared.read('session');
  time.advance(DEAD_MS);
  const name = `instance:${shared.instance}`;
  expect(await store.read(name)).toBeUndefined();
  for (const tell of store.tellMissed) tell();
  await settle();
  expect(await store.read(name)).toBe('alive');
});
