import { nextTurn } from '@rootward/core/platform';
import { expect, test } from 'vitest';
import { beforehand } from '../../src/serve/beforehand.js';

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
