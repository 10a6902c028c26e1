import { Deferred } from '@rootward/core/platform';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { StreamEvent } from '../../../../src/sdk-v2/http/sharing/stream-reader.js';
import { eventStreamResponse } from '../../../../src/sdk-v2/http/sharing/event-stream.js';
import { settle } from '../../../../../../testing/fake-clock.js';

const KEEP_ALIVE_MS = 1_000;
const NEWS = { jsonrpc: '2.0', method: 'notifications/message' } as const;

interface Streamed {
  readonly response: Response;
  readonly over: AbortController;
  readonly onEnd: ReturnType<typeof vi.fn<() => void>>;
}

function stream(events: AsyncGenerator<StreamEvent>, keepAliveMs = 0): Streamed {
  const over = new AbortController();
  const onEnd = vi.fn<() => void>();
  const onerror = vi.fn<() => void>();
  const headers = { 'mcp-protocol-version': '2025-11-25' };
  const response = eventStreamResponse(new Request('http://localhost/', { headers }), events, {
    session: 'session',
    keepAliveMs,
    signal: over.signal,
    onEnd,
    onerror,
  });
  return { response, over, onEnd };
}

function textOf({ value }: { readonly value?: Uint8Array | undefined }): string {
  return new TextDecoder().decode(value);
}

async function* endless(): AsyncGenerator<StreamEvent> {
  for (let count = 0; ; count++) yield { id: String(count), message: NEWS };
}

test('a client that does not read makes nobody read a log for it', async () => {
  let taken = 0;
  async function* events(): AsyncGenerator<StreamEvent> {
    for (; taken < 1_000; taken++) {
      await settle();
      yield { id: String(taken), message: NEWS };
    }
  }
  const { response } = stream(events());
  for (let turn = 0; turn < 100; turn++) await settle();
  expect(taken).toBeLessThanOrEqual(2);
  const text = await response.text();
  expect(text.match(/^id: /gm)).toHaveLength(1_000);
});

/** Lets the time pass in which so many signs of life are due. */
async function signsDue(count: number): Promise<void> {
  for (let due = 0; due < count; due++) {
    vi.advanceTimersByTime(KEEP_ALIVE_MS);
    await settle();
  }
}

function stopIntervals(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('a stream without news gives signs of life, and news after them', async () => {
  stopIntervals();
  const news = new Deferred();
  async function* events(): AsyncGenerator<StreamEvent> {
    await news.promise;
    yield { id: '1', message: NEWS };
  }
  const { response } = stream(events(), KEEP_ALIVE_MS);
  const reader = response.body!.getReader();
  for (let count = 0; count < 3; count++) {
    await signsDue(1);
    expect(textOf(await reader.read())).toBe(': keepalive\n\n');
  }
  news.resolve();
  expect(textOf(await reader.read())).toMatch(/^event: message\nid: 1\n/);
  expect((await reader.read()).done).toBe(true);
});

test('a client that does not read is sent no signs of life', async () => {
  stopIntervals();
  const { response, over } = stream(endless(), KEEP_ALIVE_MS);
  await settle();
  await signsDue(10);
  over.abort();
  expect(await response.text()).toMatch(/^event: message\nid: 0\ndata: .*\n\n$/);
});

test('a stream that is ended ends although nobody reads it', async () => {
  const { response, over, onEnd } = stream(endless());
  await settle();
  over.abort();
  expect(onEnd).toHaveBeenCalledOnce();
  expect((await response.text()).match(/^id: /gm)!.length).toBeLessThanOrEqual(2);
  expect(onEnd).toHaveBeenCalledOnce();
});
