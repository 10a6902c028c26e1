import { describe, expect, test } from 'vitest';
import { RootwardError } from '../../src/error.js';
import { findMeter, observeWorkspace } from '../../src/workspace/observe.js';
import { Counters } from '../../src/workspace/stats.js';
import { connectAsked, makeTree } from './scripted-client.js';

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
    await clock.advance(1_000);
    workspace.rootsChanged();
    await client.result('nonsense');
    await clock.advance(1_000);
    workspace.rootsChanged();
    await clock.advance(2_000);

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
      await clock.advance(1_000);
      workspace.rootsChanged();
      await clock.advance(pause);
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

/** A meter that can be read, as an application's OpenTelemetry would. */
class RecordingMeter {
  readonly instruments = new Map<
    string,
    Set<(result: { observe: (value: number, attributes?: object) => void }) => void>
  >();

  createObservableCounter = (name: string) => this.#create(name);
  createObservableGauge = (name: string) => this.#create(name);

  #create(name: string) {
    const callbacks = this.instruments.get(name) ?? new Set();
    this.instruments.set(name, callbacks);
    return {
      addCallback: (callback: Parameters<typeof callbacks.add>[0]) => void callbacks.add(callback),
      removeCallback: (callback: Parameters<typeof callbacks.add>[0]) => void callbacks.delete(callback),
    };
  }

  collect(): Record<string, (readonly [number, object | undefined])[]> {
    return Object.fromEntries(
      [...this.instruments].map(([name, callbacks]) => {
        const values: (readonly [number, object | undefined])[] = [];
        for (const callback of callbacks)
          callback({ observe: (value, attributes) => values.push([value, attributes]) });
        return [name, values];
      }),
    );
  }
}

describe('observeWorkspace()', () => {
  test('shows the same counters as metrics, until disposed', async () => {
    const tree = makeTree('a');
    const { workspace, client } = await connectAsked();
    const meter = new RecordingMeter();
    const observing = observeWorkspace(workspace, meter, { session: 's1' });
    await client.answer([tree('a')]);
    await workspace.ready();
    workspace.countRefusal(new RootwardError('denied', 'Cannot read'));
    expect(meter.collect()).toMatchObject({
      'rootward.roots.requests': [[1, { session: 's1' }]],
      'rootward.roots.answers': [[1, { session: 's1' }]],
      'rootward.roots.notifications': [[0, { session: 's1' }]],
      'rootward.roots.notifications.coalesced': [[0, { session: 's1' }]],
      'rootward.ready': [
        [1, { session: 's1', cache: 'hit' }],
        [0, { session: 's1', cache: 'miss' }],
      ],
      'rootward.refusals': [[1, { session: 's1', reason: 'denied' }]],
      'rootward.roots.latency': [],
    });
    expect(meter.collect()['rootward.roots.failures']).toHaveLength(5);
    observing.dispose();
    expect(Object.values(meter.collect()).flat()).toEqual([]);
  });

  test('findMeter() gives the meter of an installed OpenTelemetry, and undefined without one', async () => {
    const meter = new RecordingMeter();
    const names: string[] = [];
    const getMeter = (name: string) => {
      names.push(name);
      return meter;
    };
    expect(await findMeter('rootward', async () => ({ metrics: { getMeter } }))).toBe(meter);
    expect(names).toEqual(['rootward']);
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    expect(await findMeter('rootward', () => Promise.reject(missing))).toBeUndefined();
  });
});
