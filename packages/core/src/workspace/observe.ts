import type { Disposable } from '../platform/disposable.js';
import { disposable } from '../platform/disposable.js';
import type { Stats } from './stats.js';

type Attributes = Readonly<Record<string, string>>;

interface Result {
  observe(value: number, attributes?: Attributes): void;
}

interface Instrument {
  addCallback(callback: (result: Result) => void): void;
  removeCallback(callback: (result: Result) => void): void;
}

/** The part of an OpenTelemetry `Meter` that is used here. */
export interface MeterLike {
  createObservableCounter(name: string, options?: { description?: string; unit?: string }): Instrument;
  createObservableGauge(name: string, options?: { description?: string; unit?: string }): Instrument;
}

/** Shows the counters of a workspace as metrics. `attributes` tell several workspaces apart. */
export function observeWorkspace(
  workspace: { stats(): Stats },
  meter: MeterLike,
  attributes: Attributes = {},
): Disposable {
  const undo = METRICS.map(({ kind, name, description, unit, report }) => {
    const options = unit === undefined ? { description } : { description, unit };
    const instrument =
      kind === 'counter'
        ? meter.createObservableCounter(name, options)
        : meter.createObservableGauge(name, options);
    const callback = (result: Result): void => {
      report(workspace.stats(), (value, extra) => result.observe(value, { ...attributes, ...extra }));
    };
    instrument.addCallback(callback);
    return () => instrument.removeCallback(callback);
  });
  return disposable(() => {
    for (const remove of undo) remove();
  });
}

/** The part of `@opentelemetry/api` that is used here. */
export interface MetricsApi {
  readonly metrics: { getMeter(name: string): MeterLike };
}

/** A meter of the application's OpenTelemetry, or undefined where that is not installed. */
export async function findMeter(
  name: string,
  load: () => Promise<MetricsApi> = loadOpenTelemetry,
): Promise<MeterLike | undefined> {
  try {
    const { metrics } = await load();
    return metrics.getMeter(name);
  } catch {
    return undefined;
  }
}

/** An optional peer: loaded only when someone asks for a meter, and not to be included by bundlers. */
async function loadOpenTelemetry(): Promise<MetricsApi> {
  const specifier: string = '@opentelemetry/api';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types are there only where it is installed
  return (await import(specifier)) as MetricsApi;
}

type Observe = (value: number, extra?: Attributes) => void;

interface Metric {
  readonly kind: 'counter' | 'gauge';
  readonly name: string;
  readonly description: string;
  readonly unit?: string;
  readonly report: (stats: Stats, observe: Observe) => void;
}

const METRICS: readonly Metric[] = [
  {
    kind: 'counter',
    name: 'rootward.roots.requests',
    description: 'Requests for roots sent to the client',
    report: ({ requests }, observe) => observe(requests),
  },
  {
    kind: 'counter',
    name: 'rootward.roots.answers',
    description: 'Answers applied',
    report: ({ answers }, observe) => observe(answers),
  },
  {
    kind: 'counter',
    name: 'rootward.roots.failures',
    description: 'Requests without a usable answer, by kind',
    report: ({ failures }, observe) => {
      for (const [kind, count] of Object.entries(failures)) observe(count, { kind });
    },
  },
  {
    kind: 'counter',
    name: 'rootward.roots.notifications',
    description: 'Change notifications from the client',
    report: ({ notifications }, observe) => observe(notifications.received),
  },
  {
    kind: 'counter',
    name: 'rootward.roots.notifications.coalesced',
    description: 'Change notifications that needed no request of their own',
    report: ({ notifications }, observe) => observe(notifications.coalesced),
  },
  {
    kind: 'counter',
    name: 'rootward.ready',
    description: 'Calls that needed roots, by whether the snapshot could be used at once',
    report: ({ cache }, observe) => {
      observe(cache.hits, { cache: 'hit' });
      observe(cache.misses, { cache: 'miss' });
    },
  },
  {
    kind: 'counter',
    name: 'rootward.refusals',
    description: 'Refused operations, by reason',
    report: ({ refusals }, observe) => {
      for (const [reason, count] of Object.entries(refusals)) observe(count, { reason });
    },
  },
  {
    kind: 'gauge',
    name: 'rootward.roots.latency',
    description: 'From a change notification to its answer being applied',
    unit: 'ms',
    report: ({ latency }, observe) => {
      for (const [statistic, value] of Object.entries(latency)) observe(value, { statistic });
    },
  },
];
