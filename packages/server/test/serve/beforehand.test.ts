import { nextTurn } from '@rootward/core/platform';
import { expect, test, vi } from 'vitest';
import { beforehand, later } from '../../src/serve/beforehand.js';

test('beforehand() lets what is under way go first, and leaves it to the call to say what is wrong', async () => {
  const steps: string[] = [];
  beforehand(() => {
    steps.push('beforehand');
    throw new Error('Cannot prepare');
  });
  await Promise.resolve();
  steps.push('under way');
  await nextTurn();
  expect(steps).toEqual(['under way', 'beforehand']);
});

test('later() waits until a client has its first answers', () => {
  vi.useFakeTimers();
  try {
    const act = vi.fn<() => void>();
    later(act);
    vi.advanceTimersByTime(99);
    expect(act).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(act).toHaveBeenCalledOnce();
  } finally {
    vi.useRealTimers();
  }
});
