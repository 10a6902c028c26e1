import { describe, expect, test } from 'vitest';
import { replaceShared, sharedMethod } from '../../src/hooks/replace-method.js';

class Counter {
  readonly #step: number;

  constructor(step: number) {
    this.#step = step;
  }

  add(value: unknown): number {
    return Number(value) + this.#step;
  }
}

const DOUBLED = sharedMethod('add', (_target, original, [value]) => Number(original(value)) * 2);

describe('replaceShared()', () => {
  test('gives all objects one function, which calls the method of each', () => {
    const [one, ten] = [new Counter(1), new Counter(10)];
    replaceShared(one, DOUBLED);
    replaceShared(ten, DOUBLED);
    expect(Reflect.get(one, 'add')).toBe(Reflect.get(ten, 'add'));
    expect([one.add(1), ten.add(1), new Counter(1).add(1)]).toEqual([4, 22, 2]);
  });

  test('keeps what somebody else has put in place of the method', () => {
    const one = new Counter(1);
    Object.defineProperty(one, 'add', { value: () => 100, configurable: true });
    replaceShared(one, DOUBLED);
    expect(one.add(1)).toBe(200);
  });

  test('adds no method to an object that has none of that name', () => {
    const empty = {};
    replaceShared(empty, DOUBLED);
    expect('add' in empty).toBe(false);
  });
});
