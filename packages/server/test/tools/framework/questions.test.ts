import { expect, test } from 'vitest';
import { Questions } from '../../../src/tools/framework/questions.js';

test('Questions.ask() asks once, and repeats a no', () => {
  const questions = new Questions(() => 0);
  expect(questions.ask('a')).toBeUndefined();
  questions.answered('a', 'declined');
  expect(questions.ask('a')).toBe('declined');
  expect(questions.ask('b')).toBeUndefined();
  questions.answered('b', 'accepted');
  expect(questions.ask('b')).toBeUndefined();
});

test('Questions.ask() asks nothing more of a client that left a question unanswered', () => {
  let now = 0;
  const questions = new Questions(() => now);
  questions.ask('a');
  expect(questions.ask('b')).toBeUndefined();
  now = 60_001;
  expect([questions.ask('a'), questions.ask('b'), questions.ask('c')]).toEqual([
    'cancelled',
    'cancelled',
    'cancelled',
  ]);
  questions.answered('a', 'declined');
  expect(questions.ask('c')).toBeUndefined();
});
