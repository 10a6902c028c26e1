import { expect, test } from 'vitest';
import { openSession, serveWrapped, TOKENS, type RawSession } from './fixtures/http.js';
import { INNER, makeFolder } from './fixtures/wrapped.js';

/** As in the endpoint. */
const MAX_SESSIONS = 100;

async function status({ post }: RawSession): Promise<number> {
  const response = await post('tools/list');
  await response.text();
  return response.status;
}

test('wrap --http ends idle sessions of a principal with too many, and none of others', async () => {
  const url = await serveWrapped(['--root', makeFolder('top'), '--share'], [process.execPath, INNER]);
  const other = await openSession(url, TOKENS[1]);
  const own: RawSession[] = [];
  while (own.length < MAX_SESSIONS - 1) own.push(await openSession(url));
  // The oldest of all is not the one that was idle longest.
  expect(await status(own[0]!)).toBe(200);
  const last = await openSession(url);
  expect(await Promise.all([other, own[0]!, own[1]!, own[2]!, last].map(status))).toEqual([
    200, 200, 404, 200, 200,
  ]);
  expect(await status(await openSession(url, TOKENS[1]))).toBe(200);
  expect(await status(other)).toBe(404);
});

test('wrap --http lets no principal keep others out with open streams', async () => {
  const url = await serveWrapped(['--root', makeFolder('top'), '--share'], [process.execPath, INNER]);
  const streams: Response[] = [];
  const held: RawSession[] = [];
  while (held.length < MAX_SESSIONS) {
    const session = await openSession(url);
    held.push(session);
    streams.push(await fetch(url, { headers: session.headers }));
  }
  expect(await status(await openSession(url, TOKENS[1]))).toBe(200);
  // The stream of the one that was used longest ago has ended.
  await streams[0]!.text();
  expect(await Promise.all([held[0]!, held[1]!].map(status))).toEqual([404, 200]);
  for (const { body } of streams.slice(1)) await body?.cancel();
});
