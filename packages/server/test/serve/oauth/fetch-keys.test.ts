import { expect, test } from 'vitest';
import { eventually } from '../../../../../testing/eventually.js';
import { FakeClock } from '../../../../../testing/fake-clock.js';
import { fetchKeys } from '../../../src/serve/oauth/fetch-keys.js';

const ISSUER = 'https://login.example.com/tenant';
/** Where metadata may be, in the order in which it counts. */
const PLACES = [
  'https://login.example.com/.well-known/oauth-authorization-server/tenant',
  'https://login.example.com/tenant/.well-known/oauth-authorization-server',
  'https://login.example.com/.well-known/openid-configuration/tenant',
  'https://login.example.com/tenant/.well-known/openid-configuration',
] as const;
const HEAD_START_MS = 500;

/** An issuer that says nothing until it is told to. Each place names keys of its own. */
function silentIssuer() {
  const clock = new FakeClock();
  const waiting = new Map<string, (response: Response) => void>();
  const fetch = (target: string | URL | Request): Promise<Response> => {
    const { href } = new URL(target instanceof Request ? target.url : target);
    if (href.startsWith(`${ISSUER}/keys`)) return Promise.resolve(Response.json({ from: href }));
    return new Promise((resolve) => {
      waiting.set(href, resolve);
    });
  };
  const found: unknown[] = [];
  void fetchKeys(ISSUER, fetch, clock).then((keys) => found.push(keys));
  const answer = (place: number, status = 200): void => {
    const metadata = { issuer: ISSUER, jwks_uri: `${ISSUER}/keys/${place}` };
    waiting.get(PLACES[place] ?? '')?.(Response.json(metadata, { status }));
  };
  /** Without more answers, which keys are taken. */
  const takes = (place: number): Promise<void> =>
    eventually(() => expect(found).toEqual([{ from: `${ISSUER}/keys/${place}` }]));
  return { clock, takes, answer };
}

test('fetchKeys() does not wait for places that say nothing, once another has metadata', async () => {
  for (const place of [1, 2, 3]) {
    const { clock, takes, answer } = silentIssuer();
    answer(place);
    await clock.advanceAndSettle(HEAD_START_MS);
    await takes(place);
    expect(clock.timers).toBe(0);
  }
});

test('fetchKeys() takes the first place in order that has metadata, in whatever order they answer', async () => {
  for (const [order, expected] of [
    [[3, 2, 1, 0], 0],
    [[3, 1], 1],
    [[2, 3], 2],
  ] as const) {
    const { clock, takes, answer } = silentIssuer();
    for (const place of order) {
      answer(place);
      await clock.advanceAndSettle(HEAD_START_MS / 10);
    }
    await clock.advanceAndSettle(HEAD_START_MS);
    await takes(expected);
  }
});

test('fetchKeys() waits for a place that is slow while no other has metadata', async () => {
  const { clock, takes, answer } = silentIssuer();
  for (const place of [0, 1, 2]) answer(place, 404);
  await clock.advanceAndSettle(10 * HEAD_START_MS);
  answer(3);
  await takes(3);
  expect(clock.timers).toBe(0);
});
