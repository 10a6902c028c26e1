import { expect, test } from 'vitest';
import { MemoryStore } from '../../../../src/index.js';
import { ChangeNotes } from '../../../../src/sdk-v2/http/sharing/change-notes.js';
import { FakeClock } from '../../../../../../testing/fake-clock.js';

const NOTE = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'x://y' } } as const;
/** After so long everything that waits was told. */
const LATER_MS = 5_000;

interface Process {
  readonly notes: ChangeNotes;
  canWrite: boolean;
  /** Between what it claims and what it writes: nothing of it happens any more. */
  isKilled: boolean;
}

/** Processes that share a store and a clock, and who of them told the client what. */
function start(count: number) {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const told: string[] = [];
  const errors: unknown[] = [];
  const onerror = (error: unknown): void => void errors.push(error);
  const lastPlace = (): Promise<string> => Promise.resolve(`${told.length}`);
  const isWritten = (session: string, _note: unknown, place: string): Promise<boolean> =>
    Promise.resolve(told.slice(Number(place)).some((each) => each.endsWith(` to ${session}`)));
  const processes = Array.from({ length: count }, (_, index): Process => {
    const write = (session: string): Promise<string> => {
      if (made.isKilled) return new Promise(() => undefined);
      if (!made.canWrite) return Promise.reject(new Error('It is down'));
      told.push(`${index} to ${session}`);
      return Promise.resolve(`${told.length}`);
    };
    const options = { instance: `${index}`, clock, write, lastPlace, isWritten, onerror };
    const made = { notes: new ChangeNotes(store, options), canWrite: true, isKilled: false };
    return made;
  });
  const [first, second, third] = processes as [Process, Process, Process];
  return { clock, told, errors, first, second, third };
}

test('a change is told that comes within a second of another one with the same text, which another process told', async () => {
  const { clock, told, first, second } = start(2);
  expect(await first.notes.tell('a', NOTE)).not.toBe('');
  await clock.advanceAndSettle(300);
  expect(await second.notes.tell('a', NOTE)).toBe('');
  expect(told).toEqual(['0 to a']);
  await clock.advanceAndSettle(LATER_MS);
  expect(told).toEqual(['0 to a', '1 to a']);
  expect(clock.timers).toBe(0);
});

test('a change that three processes notice is told at once, and at most once more', async () => {
  const { clock, told, first, second, third } = start(3);
  for (const { notes } of [first, second, third]) await notes.tell('a', NOTE);
  expect(told).toEqual(['0 to a']);
  await clock.advanceAndSettle(LATER_MS);
  expect(told).toHaveLength(2);
});

test('a change is told where the notes that keep a process quiet all came before it', async () => {
  const { clock, told, first, second } = start(2);
  await first.notes.tell('a', NOTE);
  await second.notes.tell('a', NOTE);
  await clock.advanceAndSettle(900);
  await first.notes.tell('a', NOTE);
  await clock.advanceAndSettle(150);
  await second.notes.tell('a', NOTE);
  expect(told).toEqual(['0 to a', '0 to a']);
  await clock.advanceAndSettle(LATER_MS);
  expect(told).toEqual(['0 to a', '0 to a', '1 to a']);
});

test('a process that tells of a change has nothing to add a second later', async () => {
  const { clock, told, first, second } = start(2);
  await first.notes.tell('a', NOTE);
  await second.notes.tell('a', NOTE);
  await clock.advanceAndSettle(1_050);
  await second.notes.tell('a', NOTE);
  await clock.advanceAndSettle(LATER_MS);
  expect(told).toEqual(['0 to a', '1 to a']);
});

test('a change is told by another process where the first one cannot write it down', async () => {
  const { clock, told, errors, first, second } = start(2);
  first.canWrite = false;
  const failed = first.notes.tell('a', NOTE);
  // It asks while the first one still tries.
  expect(await second.notes.tell('a', NOTE)).toBe('');
  await expect(failed).rejects.toThrow('It is down');
  await clock.advanceAndSettle(LATER_MS);
  expect(told).toEqual(['1 to a']);
  expect(errors.length).toBeLessThanOrEqual(1);
});

test('a change is told where the process that took it on is killed before it writes it down', async () => {
  const { clock, told, first, second, third } = start(3);
  await first.notes.tell('a', NOTE);
  await second.notes.tell('a', NOTE);
  await clock.advanceAndSettle(1_050);
  // It keeps the second one quiet, which would tell now.
  third.isKilled = true;
  void third.notes.tell('a', NOTE);
  await clock.advanceAndSettle(LATER_MS);
  expect(told).toEqual(['0 to a', '1 to a']);
  expect(clock.timers).toBe(0);
});

test('a change that could not be written down is tried until it can be', async () => {
  const { clock, told, errors, first } = start(1);
  first.canWrite = false;
  await expect(first.notes.tell('a', NOTE)).rejects.toThrow('It is down');
  await clock.advanceAndSettle(LATER_MS);
  expect(told).toEqual([]);
  first.canWrite = true;
  await clock.advanceAndSettle(LATER_MS);
  expect(told).toEqual(['0 to a']);
  expect(errors).toEqual([]);
  expect(clock.timers).toBe(0);
});

test('what waits is told when the process leaves, and not where the session has ended', async () => {
  const { clock, told, first, second } = start(2);
  for (const session of ['a', 'b']) {
    await first.notes.tell(session, NOTE);
    await second.notes.tell(session, NOTE);
  }
  second.notes.forget('a');
  await second.notes.close();
  expect(told).toEqual(['0 to a', '0 to b', '1 to b']);
  await clock.advanceAndSettle(LATER_MS);
  expect(told).toHaveLength(3);
});
