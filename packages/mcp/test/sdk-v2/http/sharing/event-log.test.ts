import { AsyncResource } from 'node:async_hooks';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryStore } from '../../../../src/index.js';
import { Bell } from '../../../../src/sdk-v2/http/sharing/bell.js';
import { EventLog } from '../../../../src/sdk-v2/http/sharing/event-log.js';
import { StreamReader, type StreamEvent } from '../../../../src/sdk-v2/http/sharing/stream-reader.js';
import { FakeClock, settle } from '../../../../../../testing/fake-clock.js';
import { beginCall } from '../../../fixtures/logged-call.js';

const TTL_MS = 600_000;
const MINUTE_MS = 60_000;
const NEWS = { jsonrpc: '2.0', method: 'notifications/message' } as const;
const answer = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, result: {} });

interface Logs {
  readonly clock: FakeClock;
  readonly store: MemoryStore;
  readonly errors: unknown[];
  readonly log: EventLog;
  readonly reader: StreamReader;
}

function makeLog(): Logs {
  const clock = new FakeClock();
  const store = new MemoryStore(clock);
  const errors: unknown[] = [];
  const log = new EventLog(store, {
    instance: 'here',
    ttl: TTL_MS,
    clock,
    announce: () => undefined,
    onerror: (error) => void errors.push(error),
  });
  const reader = new StreamReader(store, () => Promise.resolve(true));
  return { clock, store, errors, log, reader };
}

async function resume(reader: StreamReader, lastEventId: string): Promise<AsyncGenerator<StreamEvent>> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const resumed = await reader.resume('session', lastEventId, new Bell(), over.signal);
  if (typeof resumed === 'string') throw new Error(`Cannot resume: ${resumed}`);
  return resumed;
}

test('a call of a batch can be resumed long after another one of it was answered', async () => {
  const { clock, log, reader } = makeLog();
  const { say } = await beginCall(log, 'session', 1, 2);
  const last = await say(answer(1));
  clock.advance(2 * MINUTE_MS);
  const resumed = await resume(reader, last);
  await resumed.next();
  await say(answer(2));
  expect((await resumed.next()).value).toMatchObject({ message: { id: 2 } });
  expect((await resumed.next()).done).toBe(true);
});

test('the log of a batch goes a minute after its last answer', async () => {
  const { clock, log, reader } = makeLog();
  const { stream, say } = await beginCall(log, 'session', 1, 2);
  await say(answer(1));
  await say(answer(2));
  clock.advance(2 * MINUTE_MS);
  const { signal } = new AbortController();
  expect(await reader.resume('session', `${stream}/0`, new Bell(), signal)).toBe('unknown');
});

test('a call that says nothing for longer than sessions are kept can be resumed', async () => {
  const { clock, log, reader } = makeLog();
  const { stream, say } = await beginCall(log, 'session', 1);
  for (let passed = 0; passed < 3 * TTL_MS; passed += MINUTE_MS) {
    clock.advance(MINUTE_MS);
    log.beat();
  }
  const resumed = await resume(reader, `${stream}/0`);
  await resumed.next();
  await say(answer(1));
  expect((await resumed.next()).value).toMatchObject({ message: { id: 1 } });
});

test('a store that fails while it is said again who owes an answer ends nothing', async () => {
  const { store, errors, log } = makeLog();
  const { say } = await beginCall(log, 'session', 1);
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  vi.spyOn(store, 'append').mockRejectedValue(new Error('It is down'));
  // More than the number of lines after which it is said again.
  for (let count = 0; count < 2_500; count++) expect(await say(NEWS)).toBe('');
  expect(errors.length).toBeGreaterThanOrEqual(2_500);
  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
});

test('what was started while a session was taken over is heard afterwards', async () => {
  const { log } = makeLog();
  const events = log.storeFor('session');
  const started = { context: new AsyncResource('before') };
  await log.replay(async () => {
    started.context = new AsyncResource('watcher');
    // What a server says then was said before, by the process that had the session.
    expect(await events.storeEvent('_GET_stream', NEWS)).toBe('');
  });
  expect(await started.context.runInAsyncScope(() => events.storeEvent('_GET_stream', NEWS))).not.toBe('');
});

test('a change that is noticed while a session is taken over is told once when that is done', async () => {
  const { log, store } = makeLog();
  const events = log.storeFor('session');
  const change = {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'x://y' },
  } as const;
  await log.replay(async () => {
    for (const message of [change, NEWS, change]) await events.storeEvent('_GET_stream', message);
    expect(await store.lines('events:session:_GET_stream')).toEqual([]);
  });
  await settle();
  const lines = await store.lines('events:session:_GET_stream');
  expect(lines.map(({ text }) => JSON.parse(text) as unknown)).toMatchObject([{ message: change }]);
});

test('a change that a process wrote down without saying so is announced by another one that waits to tell it', async () => {
  const { clock, log, store } = makeLog();
  const announced: string[] = [];
  const other = new EventLog(store, {
    instance: 'there',
    ttl: TTL_MS,
    clock,
    announce: (session) => void announced.push(session),
    onerror: () => undefined,
  });
  const change = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;
  await log.storeFor('session').storeEvent('_GET_stream', change);
  expect(await other.storeFor('session').storeEvent('_GET_stream', change)).toBe('');
  await clock.advanceAndSettle(1_050);
  await log.storeFor('session').storeEvent('_GET_stream', change);
  await clock.advanceAndSettle(MINUTE_MS);
  expect(announced).toEqual(['session']);
  expect(await store.lines('events:session:_GET_stream')).toHaveLength(2);
});

test('serve() rejects where a message without an answer is lost, and serves a request all the same', async () => {
  const { errors, log } = makeLog();
  const problem = new Error('It is down');
  const serve = (status: number): Promise<Response> =>
    log.serve(() => {
      log.hold(Promise.reject(problem));
      return Promise.resolve(new Response(null, { status }));
    });
  await expect(serve(202)).rejects.toBe(problem);
  expect(errors).toEqual([]);
  expect((await serve(200)).status).toBe(200);
  expect(errors).toEqual([problem]);
});

test('an answer that could not be stored is stored when the store is back', async () => {
  const { store, log, reader } = makeLog();
  const { stream, say } = await beginCall(log, 'session', 1);
  const broken = vi.spyOn(store, 'append').mockRejectedValue(new Error('It hangs'));
  expect(await say(answer(1))).toBe('');
  log.beat();
  await settle();
  broken.mockRestore();
  log.beat();
  await settle();
  log.beat();
  await settle();
  expect(await store.lines(`events:session:${stream}`)).toHaveLength(2);
  const messages: unknown[] = [];
  for await (const { message } of await resume(reader, `${stream}/0`)) messages.push(message);
  expect(messages).toEqual([undefined, answer(1)]);
});

test('an answer that was stored twice, as its store said too late that it had it, is read once', async () => {
  const { store, log, reader } = makeLog();
  const { stream, say } = await beginCall(log, 'session', 1);
  const late = async (...line: Parameters<MemoryStore['append']>): Promise<string> => {
    await MemoryStore.prototype.append.apply(store, line);
    throw new Error('It takes too long');
  };
  vi.spyOn(store, 'append').mockImplementationOnce(late);
  await say(answer(1));
  log.beat();
  await settle();
  expect(await store.lines(`events:session:${stream}`)).toHaveLength(3);
  const messages: unknown[] = [];
  for await (const { message } of await resume(reader, `${stream}/0`)) messages.push(message);
  expect(messages).toEqual([undefined, answer(1)]);
});

test('nothing is stored later for a session that has ended, or after its time', async () => {
  const { clock, store, log } = makeLog();
  const calls = [await beginCall(log, 'ended', 1), await beginCall(log, 'forgotten', 1)];
  const broken = vi.spyOn(store, 'append').mockRejectedValue(new Error('It hangs'));
  for (const { say } of calls) await say(answer(1));
  log.end('ended');
  clock.advance(TTL_MS);
  broken.mockRestore();
  const append = vi.spyOn(store, 'append');
  log.beat();
  await settle();
  expect(append).not.toHaveBeenCalled();
});

test('a store that takes nothing is asked once for all answers that wait, and again with the next beat', async () => {
  const { store, log } = makeLog();
  const calls = await Promise.all([1, 2, 3].map((id) => beginCall(log, `session ${id}`, id)));
  const append = vi.spyOn(store, 'append').mockRejectedValue(new Error('Its memory is full'));
  for (const [index, { say }] of calls.entries()) await say(answer(index + 1));
  for (let beat = 1; beat <= 2; beat++) {
    log.beat();
    await settle();
    expect(append).toHaveBeenCalledTimes(calls.length + beat);
  }
  append.mockRestore();
  log.beat();
  await settle();
  for (const [index, { stream }] of calls.entries())
    expect(await store.lines(`events:session ${index + 1}:${stream}`)).toHaveLength(2);
});

test('answers that wait for the store take no more than 16 MB, and the oldest go first', async () => {
  const { store, log } = makeLog();
  const calls = await Promise.all([1, 2, 3].map((id) => beginCall(log, `session ${id}`, id)));
  const append = vi.spyOn(store, 'append').mockRejectedValue(new Error('Its memory is full'));
  for (const [index, { say }] of calls.entries()) {
    await say({ jsonrpc: '2.0', id: index + 1, result: { text: 'x'.repeat(7 * 1024 * 1024) } });
  }
  append.mockRestore();
  log.beat();
  await settle();
  const lines = await Promise.all(
    calls.map(({ stream }, index) => store.lines(`events:session ${index + 1}:${stream}`)),
  );
  expect(lines.map(({ length }) => length)).toEqual([1, 2, 2]);
});

test('who owes an answer is said with a later beat where the store could not take it', async () => {
  const { store, log, reader } = makeLog();
  const hanging = vi.spyOn(store, 'append').mockRejectedValue(new Error('It hangs'));
  const { stream, say } = await beginCall(log, 'session', 1);
  log.beat();
  await settle();
  hanging.mockRestore();
  log.beat();
  await settle();
  const resumed = await resume(reader, `${stream}/0`);
  await resumed.next();
  await say(answer(1));
  expect((await resumed.next()).value).toMatchObject({ message: { id: 1 } });
});

test('whoever begins to listen gets what comes next, without what was said before being read', async () => {
  const { store, log, reader } = makeLog();
  const events = log.storeFor('session');
  for (let count = 0; count < 3; count++) await events.storeEvent('_GET_stream', NEWS);
  const lines = vi.spyOn(store, 'lines');
  const over = new AbortController();
  const listening = await reader.listen('session', new Bell(), over.signal);
  expect(lines).not.toHaveBeenCalled();
  await listening.next();
  const next = { ...NEWS, params: { data: 'next' } };
  await events.storeEvent('_GET_stream', next);
  expect((await listening.next()).value).toMatchObject({ message: next });
  over.abort();
});
