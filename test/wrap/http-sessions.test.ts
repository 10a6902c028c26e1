import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { openSession, serveWrapped, startWrapped, TOKENS, type RawSession } from './fixtures/http.js';
import { INNER, makeFolder, peakMegabytes } from './fixtures/wrapped.js';

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

test.each([[['--share']], [[]]])(
  'wrap --http %j refuses a request with the id of one that is under way, and confuses no answers',
  async (flags) => {
    const top = makeFolder('top');
    const url = await serveWrapped(['--root', top, ...flags], [process.execPath, INNER]);
    const { headers } = await openSession(url);
    const call = (id: number, name: string, args: object, signal?: AbortSignal): Promise<Response> => {
      const params = { name, arguments: args };
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
      return fetch(url, { method: 'POST', headers, body, signal: signal ?? null });
    };
    const leave = new AbortController();
    const wait = { path: join(top, 'go'), write: join(top, 'waits') };
    const left = call(7, 'wait', wait, leave.signal).catch(() => undefined);
    await eventually(() => expect(existsSync(wait.write)).toBe(true));
    const refused = await (await call(7, 'echo', { value: 'another' })).text();
    expect(refused).toContain('another one with the same id is under way');
    leave.abort();
    await left;
    // Its answer still comes, and is for nobody.
    expect(await (await call(7, 'echo', { value: 'another' })).text()).toContain('the same id is under way');
    writeFileSync(wait.path, '');
    await eventually(async () =>
      expect(await (await call(7, 'echo', { value: 'another' })).text()).toContain('"another"'),
    );
  },
);

test.runIf(process.platform === 'linux')(
  'wrap --http drops what a server prints where nobody reads it',
  async () => {
    const flags = ['--root', makeFolder('top')];
    const { url, process: wrapping } = await startWrapped(flags, [process.execPath, INNER]);
    wrapping.stderr?.pause();
    const { post } = await openSession(url);
    const printed = await post('tools/call', { name: 'garbage', arguments: { bytes: 300_000_000 } });
    expect(await printed.text()).toContain('printed');
    expect(peakMegabytes(wrapping.pid)).toBeLessThan(200);
    wrapping.stderr?.resume();
  },
);
