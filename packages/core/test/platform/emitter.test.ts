import { expect, test } from 'vitest';
import { Emitter } from '../../src/platform/emitter.js';

test('Emitter.fire() calls listeners in order and hands on what one throws', () => {
  const calls: string[] = [];
  const errors: unknown[] = [];
  const emitter = new Emitter<string>((error) => errors.push(error));
  const problem = new Error('first');
  emitter.add((event) => {
    calls.push(`a ${event}`);
    throw problem;
  });
  const second = emitter.add((event) => calls.push(`b ${event}`));
  emitter.fire('1');
  second.dispose();
  emitter.fire('2');
  expect(calls).toEqual(['a 1', 'b 1', 'a 2']);
  expect(errors).toEqual([problem, problem]);
  expect(emitter.size).toBe(1);
});

test('Emitter.fire() leaves out a listener that another one removes', () => {
  const calls: string[] = [];
  const emitter = new Emitter();
  emitter.add(() => second.dispose());
  const second = emitter.add(() => calls.push('removed'));
  emitter.fire();
  expect(calls).toEqual([]);
});
