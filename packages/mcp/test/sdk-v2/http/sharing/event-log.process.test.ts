import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '@rootward/core';
import { RedisStore } from '../../../../src/redis.js';
import { Bell } from '../../../../src/sdk-v2/http/sharing/bell.js';
import { EventLog } from '../../../../src/sdk-v2/http/sharing/event-log.js';
import { StreamReader } from '../../../../src/sdk-v2/http/sharing/stream-reader.js';
import { beginCall } from '../../../fixtures/logged-call.js';
import { isInstalled, RedisServer, STORE_PROGRAM } from '../../../../../../testing/redis-server.js';

/** At least so many lines are. */
const KEPT = 9_900;
/** More than a log keeps. */
const MANY = 10_500;
const BATCH = 500;

const nothing = (): void => undefined;
const isAlive = (): Promise<boolean> => Promise.resolve(true);

describe.skipIf(!isInstalled(STORE_PROGRAM))(`EventLog with ${STORE_PROGRAM}`, () => {
  let redis: RedisServer;
  let store: RedisStore;
  let log: EventLog;
  let reader: StreamReader;
  beforeAll(async () => {
    redis = await RedisServer.start();
    store = await RedisStore.connect({ url: redis.url });
    log = new EventLog(store, {
      instance: 'here',
      ttl: 60_000,
      clock: systemClock,
      announce: nothing,
      onerror: nothing,
    });
    reader = new StreamReader(store, isAlive);
  });
  afterAll(async () => {
    await store.close();
    await redis[Symbol.asyncDispose]();
  });

  test('a request with more events than are kept is still known to be under way', async () => {
    const { stream, say } = await beginCall(log, 'session', 1);
    let last = '';
    for (let count = 0; count < MANY; count += BATCH) {
      const ids = await Promise.all(
        Array.from({ length: BATCH }, () => say({ jsonrpc: '2.0', method: 'notifications/progress' })),
      );
      last = ids.at(-1)!;
    }
    const over = new AbortController();
    const resumed = await reader.resume('session', last, new Bell(), over.signal);
    if (typeof resumed === 'string') throw new Error(`Cannot resume: ${resumed}`);
    expect((await resumed.next()).value).toMatchObject({ id: last, message: undefined });
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await resumed.next()).value).toMatchObject({ message: { id: 1, result: {} } });
    expect((await resumed.next()).done).toBe(true);

    const whole = await reader.resume('session', `${stream}/0`, new Bell(), over.signal);
    if (typeof whole === 'string') throw new Error(`Cannot resume: ${whole}`);
    let count = 0;
    let answer: unknown;
    for await (const { message } of whole) {
      count += 1;
      answer = message;
    }
    expect(count).toBeGreaterThan(KEPT);
    expect(answer).toMatchObject({ id: 1, result: {} });
  });

  test('a log is read in pieces', async () => {
    const ids: string[] = [];
    for (let count = 0; count < BATCH; count++) ids.push(await store.append('log', 'line', 60_000));
    const first = await store.lines('log');
    expect(first.length).toBeLessThan(BATCH);
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, first.length));
    expect((await store.lines('log', first.at(-1)!.id))[0]!.id).toBe(ids[first.length]);
  });

  test.each([
    'x',
    '1-',
    '-1',
    '99999999999999999999',
    '18446744073709551615-18446744073709551615',
    '(1',
    '$',
  ])('a place that no event has (%s) begins at the start, and shows no other session', async (place) => {
    const { stream, say } = await beginCall(log, 'mine', 1);
    await say({ jsonrpc: '2.0', id: 1, result: {} });
    const { signal } = new AbortController();
    const resumed = await reader.resume('mine', `${stream}/${place}`, new Bell(), signal);
    if (typeof resumed === 'string') throw new Error(`Cannot resume: ${resumed}`);
    await resumed.next();
    expect((await resumed.next()).value).toMatchObject({ message: { id: 1 } });
    expect(await reader.resume('other', `${stream}/${place}`, new Bell(), signal)).toBe('unknown');
    expect(await reader.resume('mine', `${stream}:x/${place}`, new Bell(), signal)).toBe('unknown');
  });
});
