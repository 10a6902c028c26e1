import { expect, test } from 'vitest';
import { LinePattern } from '../../src/search/line-pattern.js';
import { PatternSearch } from '../../src/search/pattern-search.js';
import { PatternTurns } from '../../src/search/pattern-turns.js';

/** Takes for ever with `(a+)+$`. */
const TRAP = `${'a'.repeat(60)}b`;

function start(
  pattern: string,
  patternTurns = new PatternTurns(),
  principal = '',
  signal = new AbortController().signal,
  budgetMs?: number,
) {
  return new PatternSearch(new LinePattern(pattern, false), { patternTurns, principal, signal }, budgetMs);
}

/** How often the event loop got its turn while something else went on. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  const state = { done: false };
  const settled = work.finally(() => (state.done = true));
  while (!state.done) {
    turns++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await settled;
  return turns;
}

test('PatternSearch.search() lets everything else go on while a pattern takes long', async () => {
  using search = start('(a+)+$');
  const found = search.search([TRAP]);
  expect(await turnsDuring(found)).toBeGreaterThan(10);
  expect(await found).toBeUndefined();
});

test('PatternSearch.search() goes on with other texts after one that takes long, and finds the same', async () => {
  using search = start('(a+)+$');
  expect(await search.search([TRAP])).toBeUndefined();
  const texts = ['x\naaa\r\n', 'b', `${'y'.repeat(400)}aa`];
  const expected = new LinePattern('(a+)+$', false).searchWithin(60_000, texts);
  expect(await search.search(texts)).toEqual(expected);
  expect(expected?.map((matches) => matches.length)).toEqual([1, 0, 1]);
});

test('PatternSearch.search() throws once the budget of the call is used up', async () => {
  using search = start('(a+)+$', undefined, undefined, undefined, 300);
  const spend = async (): Promise<never> => {
    for (;;) await search.search([TRAP]);
  };
  await expect(spend()).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringMatching(/matching takes too long$/),
  });
});

test('PatternSearch.search() ends when the call is cancelled', async () => {
  const stop = new AbortController();
  using search = start('(a+)+$', new PatternTurns(), '', stop.signal);
  const found = search.search([TRAP]);
  setImmediate(() => stop.abort(new Error('enough')));
  await expect(found).rejects.toThrow('enough');
});

test('slow searches of one principal wait for each other, and not those of another', async () => {
  const turns = new PatternTurns();
  const { signal } = new AbortController();
  const mine = await Promise.all([turns.take('a', signal), turns.take('a', signal)]);
  let began = false;
  const third = turns.take('a', signal).then((turn) => {
    began = true;
    return turn;
  });
  const other = await turns.take('b', signal);
  expect(began).toBe(false);
  other[Symbol.dispose]();
  mine[0]?.[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  expect(began).toBe(true);
});

test("a search that waits for its turn can be cancelled, and takes nobody's place", async () => {
  const turns = new PatternTurns();
  const stop = new AbortController();
  const { signal } = new AbortController();
  const mine = await Promise.all([turns.take('a', signal), turns.take('a', signal)]);
  const waiting = turns.take('a', stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  for (const turn of mine) turn[Symbol.dispose]();
  const again = await Promise.all([turns.take('a', signal), turns.take('a', signal)]);
  expect(again).toHaveLength(2);
});
