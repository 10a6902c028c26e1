import { DEFAULT_MAX_REQUEST_BODY_SIZE } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import { readOnce } from '../../../src/sdk-v2/http/read-once.js';

function inChunks(...chunks: readonly string[]): Request {
  const waiting = chunks.values();
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const { done, value } = waiting.next();
      if (done === true) controller.close();
      else controller.enqueue(Buffer.from(value));
    },
  });
  return new Request('http://localhost/mcp', { method: 'POST', body, duplex: 'half' });
}

describe('readOnce()', () => {
  test('parses a body that comes in pieces, cut anywhere', async () => {
    const bytes = Buffer.from('{"name":"Käse"}');
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      body: new ReadableStream({
        start: (controller) => {
          for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      }),
      duplex: 'half',
    });
    expect((await readOnce(request, {})).given.parsedBody).toEqual({ name: 'Käse' });
  });

  test.each([
    ['is no JSON', ['{"a":', ' oops'], 100],
    ['is too long', ['{"a":"', 'x'.repeat(50), 'y'.repeat(50), '"}'], 60],
    ['is empty', [], 100],
  ])('leaves a body that %s as it came', async (_, chunks, maxBytes) => {
    const { request, given } = await readOnce(inChunks(...chunks), {}, maxBytes);
    expect([given.parsedBody, await request.text()]).toEqual([undefined, chunks.join('')]);
  });

  test('parses what the SDK would accept, up to its limit', async () => {
    const text = `\uFEFF{"a":1}`;
    const padding = ' '.repeat(DEFAULT_MAX_REQUEST_BODY_SIZE - Buffer.byteLength(text));
    expect((await readOnce(inChunks(text, padding), {})).given.parsedBody).toEqual({ a: 1 });
    expect((await readOnce(inChunks(text, padding, ' '), {})).given.parsedBody).toBeUndefined();
  });

  test('reads nothing of a request that says that it is too long', async () => {
    const came = inChunks('{"a":1}');
    came.headers.set('content-length', '1000');
    const { request } = await readOnce(came, {}, 10);
    expect([request, came.bodyUsed]).toEqual([came, false]);
  });

  test('ends the rest of a body that nobody wants', async () => {
    let cancelled: unknown;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(Buffer.from('x'.repeat(20))),
      cancel: (reason) => void (cancelled = reason),
    });
    const came = new Request('http://localhost/mcp', { method: 'POST', body, duplex: 'half' });
    const { request } = await readOnce(came, {}, 10);
    await request.body?.cancel('too long');
    expect(cancelled).toBe('too long');
  });
});
