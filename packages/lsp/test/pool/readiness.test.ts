import { expect, test } from 'vitest';
import { Readiness } from '../../src/pool/readiness.js';
import { FakeClock } from '../../../../testing/fake-clock.js';

test('Readiness counts one sign per folder, and one more per folder that is looked through again', async () => {
  const readiness = new Readiness(new FakeClock(), /^Found/);
  readiness.expect(2);
  readiness.logged('Found 1');
  readiness.logged('Finding');
  expect(readiness.ready).toBe(false);
  readiness.logged('Found 2');
  expect(readiness.ready).toBe(true);
  readiness.expectAgain(2);
  readiness.logged('Found 1');
  expect(readiness.ready).toBe(false);
  readiness.logged('Found 2');
  readiness.progressed('answering', false);
  expect(await readiness.wait(0)).toBe(true);
});

test('Readiness does not count a sign nobody expected for one that is expected later', () => {
  const readiness = new Readiness(new FakeClock(), /^Found/);
  readiness.expect(1);
  readiness.logged('Found 1');
  readiness.logged('Found 1 after a change of configuration');
  readiness.expectAgain(1);
  expect(readiness.ready).toBe(false);
});

test('Readiness.wait() waits once for a sign that is overdue, and takes nobody for ready because of that', async () => {
  const clock = new FakeClock();
  const readiness = new Readiness(clock, /^Found/);
  readiness.expect(1);
  const first = readiness.wait(1_000);
  clock.advance(500);
  const second = readiness.wait(1_000);
  clock.advance(500);
  expect(await first).toBe(false);
  clock.advance(500);
  expect(await second).toBe(false);
  expect(await readiness.wait(1_000)).toBe(false);
  readiness.logged('Found 1');
  expect(await readiness.wait(0)).toBe(true);
});

test('Readiness comes after a minute without the sign, counted from when it was last expected', async () => {
  const clock = new FakeClock();
  const readiness = new Readiness(clock, /^Found/);
  readiness.expect(1);
  clock.advance(30_000);
  readiness.expectAgain(1);
  clock.advance(30_000);
  readiness.expectAgain(0);
  expect(readiness.ready).toBe(false);
  clock.advance(30_000);
  expect(readiness.ready).toBe(true);
  readiness.expectAgain(1);
  expect(readiness.ready).toBe(false);
  readiness.logged('Found 1');
  expect(readiness.ready).toBe(true);
});

test('Readiness of a server that gives no sign comes with time, unless work is under way', () => {
  const clock = new FakeClock();
  const readiness = new Readiness(clock, undefined);
  expect(readiness.ready).toBe(false);
  clock.advance(5_000);
  expect(readiness.ready).toBe(true);
  readiness.progressed('index', false);
  expect(readiness.ready).toBe(false);
  readiness.progressed('index', true);
  expect(readiness.ready).toBe(true);
});

test('Readiness takes a server that reports its work for ready when that has ended', () => {
  const readiness = new Readiness(new FakeClock(), undefined);
  readiness.expect(1);
  expect([readiness.ready, readiness.isLoading]).toEqual([false, false]);
  readiness.progressed('loading', false);
  expect([readiness.ready, readiness.isLoading]).toEqual([false, true]);
  readiness.progressed('loading', true);
  expect([readiness.ready, readiness.isLoading]).toEqual([true, false]);
  readiness.expectAgain(0);
  expect(readiness.ready).toBe(true);
  readiness.expect(1);
  expect(readiness.ready).toBe(false);
});

test('Readiness does not take a failure that a server reports as work for work', async () => {
  const readiness = new Readiness(new FakeClock(), undefined);
  readiness.progressed('setup', false, 'Setting up workspace');
  readiness.progressed('failure', false, 'Error loading workspace');
  readiness.progressed('setup', true);
  expect([readiness.ready, readiness.isLoading, readiness.hasFailed]).toEqual([true, false, true]);
  readiness.progressed('failure', true);
  expect([readiness.ready, readiness.hasFailed]).toEqual([true, false]);
});
