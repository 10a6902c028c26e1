import { describe, expect, test } from 'vitest';
import { RootwardError } from '../../../src/error.js';
import { Counters } from '../../../src/workspace/asking/stats.js';
import { connectAsked, makeTree } from '../scripted-client.js';

describe('stats()', () => {
  test('counts requests, answers, failures by kind, notifications and the cache', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    const waiting = workspace.ready();
    await client.answer([tree('a')]);
    await waiting;
    await workspace.ready();
    await workspace.ready();

    workspace.rootsChanged();
    await client.error(-32603);
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await client.result('nonsense');
    await clock.advanceAndSettle(1_000);
    workspace.rootsChanged();
    await clock.advanceAndSettle(2_000);

    expect(workspace.stats()).toMatchObject({
      requests: 4,
      answers: 1,
      failures: { refused: 1, malformed: 1, silent: 1, lost: 0, unreadable: 0 },
      notifications: { received: 3, coalesced: 0 },
      cache: { hits: 2, misses: 1 },
      refusals: {},
      latency: {},
    });
  });

  test('counts refusals by reason', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    await client.answer([tree('a')]);
    for (const path of ['/etc/passwd', '/etc/hosts', '']) {
      await workspace
        .scope()
        .readText(path)
        .catch((error: unknown) => workspace.countRefusal(error));
    }
    workspace.countRefusal(new RootwardError('denied', 'Cannot read'));
    workspace.countRefusal(new Error('not a refusal'));
    expect(workspace.stats().refusals).toEqual({ 'outside-roots': 2, 'invalid-path': 1, denied: 1 });
  });

  test('measures the time from a notification to its answer being applied', async () => {
    const tree = makeTree('a');
    const { workspace, client, clock } = await connectAsked();
    await client.answer([tree('a')]);
    expect(workspace.stats().latency).toEqual({});
    for (const pause of [10, 20, 30, 400]) {
      await clock.advanceAndSettle(1_000);
      workspace.rootsChanged();
      await clock.advanceAndSettle(pause);
      await client.answer([tree('a')]);
    }
    expect(workspace.stats().latency).toEqual({ last: 400, p50: 20, p95: 400 });
  });

  test('latency covers the latest 128 answers only', () => {
    const counters = new Counters();
    for (let value = 1; value <= 1_000; value += 1) counters.applied(value);
    expect(counters.stats().latency).toEqual({ last: 1_000, p50: 936, p95: 994 });
  });
});
