import { expect, test } from 'vitest';
import { FakeClock } from '../../../../testing/fake-clock.js';
import { CallerBindings } from '../../src/trees/caller-bindings.js';

test('CallerBindings.get() finds a binding until its call ends', () => {
  const bindings = new CallerBindings(new FakeClock());
  expect(bindings.used).toBe(false);
  expect(bindings.bind('a', '/w', 'agent')).toBe(true);
  expect(bindings.used).toBe(true);
  expect(bindings.get('a')).toMatchObject({ cwd: '/w', agent: 'agent' });
  expect(bindings.get('a')).toMatchObject({ cwd: '/w' });
  expect(bindings.get('b')).toBeUndefined();
  bindings.end('a');
  expect(bindings.get('a')).toBeUndefined();
});

test('CallerBindings.bind() lets the last word about a call count', () => {
  const bindings = new CallerBindings(new FakeClock());
  bindings.bind('a', '/one', '');
  bindings.bind('a', '/two', '');
  expect(bindings.get('a')?.cwd).toBe('/two');
});

test('CallerBindings keeps a binding for 30 minutes', () => {
  const clock = new FakeClock();
  const bindings = new CallerBindings(clock);
  bindings.bind('a', '/w', '');
  clock.advance(30 * 60_000 - 1);
  expect(bindings.get('a')).toBeDefined();
  clock.advance(1);
  expect(bindings.get('a')).toBeUndefined();
  expect(bindings.size).toBe(0);
});

test('CallerBindings keeps 1,000 at most, the latest', () => {
  const bindings = new CallerBindings(new FakeClock());
  for (let count = 0; count < 5000; count++) bindings.bind(`id ${count}`, '/w', '');
  expect(bindings.size).toBe(1000);
  expect([bindings.get('id 3999'), bindings.get('id 4000')?.cwd]).toEqual([undefined, '/w']);
});

test.each([
  ['', '/w'],
  [7, '/w'],
  ['x'.repeat(201), '/w'],
  ['a', ''],
  ['a', undefined],
  ['a', 'x'.repeat(5000)],
  ['a', '/w\0x'],
])('CallerBindings.bind() refuses %j with %j', (id, cwd) => {
  const bindings = new CallerBindings(new FakeClock());
  expect(bindings.bind(id, cwd, '')).toBe(false);
  expect([bindings.used, bindings.size]).toEqual([false, 0]);
});

test('restore() goes on with what was kept, and with nothing else', () => {
  const clock = new FakeClock();
  const first = new CallerBindings(clock);
  expect(first.keep()).toBeUndefined();
  first.bind('call', '/tree', 'agent');
  const second = new CallerBindings(clock);
  second.bind('other', '/elsewhere', '');
  second.restore(first.keep());
  expect([second.get('call')?.cwd, second.get('other')]).toEqual(['/tree', undefined]);
  second.restore();
  expect(second.size).toBe(0);
});
