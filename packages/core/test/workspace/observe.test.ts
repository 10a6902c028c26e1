import { execFileSync } from 'node:child_process';
import { metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect, onTestFinished, test } from 'vitest';
import { RootwardError } from '../../src/error.js';
import type { MeterLike } from '../../src/workspace/observe.js';
import { findMeter, observeWorkspace } from '../../src/workspace/observe.js';
import { connectAsked, makeTree } from './scripted-client.js';

type Points = Record<string, readonly (readonly [number, object])[]>;

/** The application's OpenTelemetry, as it would be set up for real. */
function installOpenTelemetry(): () => Promise<Points> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  onTestFinished(async () => {
    metrics.disable();
    await provider.shutdown();
  });
  return async () => {
    exporter.reset();
    await reader.forceFlush();
    const found = exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    return Object.fromEntries(
      found.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        dataPoints.map(({ value, attributes }) => [Number(value), attributes] as const),
      ]),
    );
  };
}

async function requireMeter(): Promise<MeterLike> {
  const meter = await findMeter('rootward');
  if (meter === undefined) throw new Error('OpenTelemetry was not found');
  return meter;
}

test('with OpenTelemetry installed the counters appear as metrics, until disposed', async () => {
  const collect = installOpenTelemetry();
  const tree = makeTree('a');
  const { workspace, client, clock } = await connectAsked();
  const observing = observeWorkspace(workspace, await requireMeter(), { session: 's1' });
  await client.answer([tree('a')]);
  await workspace.ready();
  await clock.advanceAndSettle(1_000);
  workspace.rootsChanged();
  await clock.advanceAndSettle(30);
  await client.answer([tree('a')]);
  workspace.countRefusal(new RootwardError('denied', 'Cannot read'));

  const points = await collect();
  expect(points).toMatchObject({
    'rootward.roots.requests': [[2, { session: 's1' }]],
    'rootward.roots.answers': [[2, { session: 's1' }]],
    'rootward.roots.notifications': [[1, { session: 's1' }]],
    'rootward.roots.notifications.coalesced': [[0, { session: 's1' }]],
    'rootward.ready': [
      [1, { session: 's1', cache: 'hit' }],
      [0, { session: 's1', cache: 'miss' }],
    ],
    'rootward.refusals': [[1, { session: 's1', reason: 'denied' }]],
    'rootward.roots.latency': [
      [30, { session: 's1', statistic: 'last' }],
      [30, { session: 's1', statistic: 'p50' }],
      [30, { session: 's1', statistic: 'p95' }],
    ],
  });
  expect(points['rootward.roots.failures']).toHaveLength(5);

  observing.dispose();
  workspace.rootsChanged();
  const after = await collect();
  expect(after['rootward.roots.notifications'] ?? []).not.toContainEqual([2, { session: 's1' }]);
});

test('findMeter() gives undefined where OpenTelemetry is not installed', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  expect(await findMeter('rootward', () => Promise.reject(missing))).toBeUndefined();
});

test('OpenTelemetry is not loaded unless someone asks for a meter', () => {
  const core = new URL('../../dist/index.js', import.meta.url).href;
  const script = `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(\`
      export function resolve(specifier, context, next) {
        if (specifier.includes('opentelemetry')) console.log('loads ' + specifier);
        return next(specifier, context);
      }\`));
    const { createWorkspace, findMeter } = await import('${core}');
    const workspace = await createWorkspace({ environment: {}, home: '/nowhere' });
    await workspace.ready();
    console.log('ready');
    await findMeter('rootward');
    workspace.dispose();
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  expect(output.trim().split('\n')).toEqual(['ready', 'loads @opentelemetry/api']);
});
