import { describe, expect, test } from 'vitest';
import { WaitingQuestions } from '../../src/watch/waiting-questions.js';

const QUESTION = { message: 'May I?', path: '/work', principal: '' };
const never = new AbortController().signal;

describe('WaitingQuestions', () => {
  test('asks nobody while no page is connected', async () => {
    const questions = new WaitingQuestions();
    expect([questions.canAsk, await questions.ask(QUESTION, never)]).toEqual([false, 'unsupported']);
  });

  test.each([
    [true, 'accepted'],
    [false, 'declined'],
  ])('settles with the answer of a page: %j', async (yes, outcome) => {
    const questions = new WaitingQuestions();
    using page = questions.pageConnected();
    const answer = questions.ask(QUESTION, never);
    const [question] = questions.list();
    expect(question).toMatchObject({ message: 'May I?' });
    expect(questions.answer(question?.id ?? '', yes)).toBe(true);
    expect(await answer).toBe(outcome);
    expect([questions.list(), questions.answer(question?.id ?? '', yes)]).toEqual([[], false]);
    expect(page).toBeDefined();
  });

  test('gives up when the call is cancelled, and when the last page leaves', async () => {
    const questions = new WaitingQuestions();
    const pages = [questions.pageConnected(), questions.pageConnected()];
    const call = new AbortController();
    const cancelled = questions.ask(QUESTION, call.signal);
    call.abort();
    expect(await cancelled).toBe('cancelled');
    const left = questions.ask(QUESTION, never);
    pages[0]?.[Symbol.dispose]();
    pages[0]?.[Symbol.dispose]();
    expect(questions.list()).toHaveLength(1);
    pages[1]?.[Symbol.dispose]();
    expect(await left).toBe('cancelled');
  });
});
