import type { Logger } from '@rootward/core';
import type { Environment } from '../settings/from-environment.js';
import { VERSION } from '../version.js';
import { Telemetry, type TelemetryOptions } from './telemetry.js';

/** Whoever wants telemetry says where to. */
const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
];

export interface OpenedTelemetry {
  readonly telemetry: Telemetry;
  /** Sends what has not been sent. */
  readonly close: () => Promise<void>;
}

/**
 * Starts the OpenTelemetry SDK that is installed beside this program, as the variables `OTEL_…` configure it. Undefined,
 * and nothing is loaded, where no endpoint is set. Where the SDK is missing, that is warned of and serving goes on.
 */
export async function openTelemetry(
  environment: Environment,
  options: Pick<TelemetryOptions, 'transport' | 'paths'>,
  log: Logger,
): Promise<OpenedTelemetry | undefined> {
  if (!ENDPOINTS.some((name) => (environment[name] ?? '') !== '')) return undefined;
  if (environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return undefined;
  try {
    const { api, NodeSDK, resources } = await import('@opentelemetry/sdk-node');
    const sdk = new NodeSDK({
      resource: resources.resourceFromAttributes({ 'service.name': 'rootward', 'service.version': VERSION }),
      // What the usual detectors find has paths in it, such as the arguments of this process.
      resourceDetectors: [resources.envDetector],
      instrumentations: [],
      logRecordProcessors: [],
    });
    sdk.start();
    const telemetry = new Telemetry({ api, version: VERSION, ...options });
    return { telemetry, close: () => sdk.shutdown().catch(() => undefined) };
  } catch (error) {
    log.warn(
      'no telemetry: install @opentelemetry/sdk-node and @opentelemetry/api where rootward is installed',
      {
        error: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
      },
    );
    return undefined;
  }
}
