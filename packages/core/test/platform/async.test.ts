import { describe, expect, test } from 'vitest';
import { Deferred, unlessAborted, within } from '../../src/platform/async.js';

const never = new Promise<never>(() => undefined);
/** A clock whose time is up at once. */
const over = {
  setTimeout(callback: () => void) {
    queueMicrotask(callback);
    return { clear: () => undefined };
  },
};

describe('unlessAborted()', () => {
  test('settles like the promise', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(unlessAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(await unlessAborted(Promise.resolve(2), undefined)).toBe(2);
  });

  test('rejects with the reason of the signal, before or during the wait', async () => {
    await expect(unlessAborted(never, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    const controller = new AbortController();
    const waiting = unlessAborted(never, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });
});

describe('within()', () => {
  test('tells what came in time from what did not', async () => {
    const deferred = new Deferred<string>();
    deferred.resolve('here');
    expect(await within(deferred.promise, { milliseconds: 60_000 })).toBe(true);
    expect(await within(never, { milliseconds: 1, clock: over })).toBe(false);
  });

  test('rejects as the promise does, and with the reason of the signal', async () => {
    await expect(within(Promise.reject(new Error('no')), { milliseconds: 60_000 })).rejects.toThrow('no');
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(within(never, { milliseconds: 60_000, signal })).rejects.toThrow('gone');
  });
});
