import type { api as Api } from '@opentelemetry/sdk-node';
import type { EventOutlet } from '../audit/event-hub.js';

/** One call of a tool that has come in. */
export interface TracedCall {
  readonly tool: string;
  readonly session: string;
  /** The id of the request, as text. */
  readonly id: string;
  readonly revision: string | undefined;
  /** What the client sent with it; may carry the trace that the call belongs to. */
  readonly meta: unknown;
}

/** A call under way. */
export interface CallTrace {
  /** Runs what belongs to the call: decisions made in it are its events. */
  run<Result>(work: () => Result): Result;
  /** `error` is a low-cardinality name for what went wrong. */
  end(error?: string): void;
}

export interface TelemetryOptions {
  readonly api: typeof Api;
  readonly version: string;
  readonly transport: 'stdio' | 'http';
  /** Whether paths may leave this machine. */
  readonly paths: boolean;
}

/** Says in the conventions what the result of a tool says with `isError`. */
export const TOOL_ERROR = 'tool_error';
const METHOD = 'tools/call';
/** Names come from clients. */
const MAX_NAME = 128;
/** As the conventions advise for durations of MCP, in seconds. */
const BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/**
 * Calls as spans and durations, by the OpenTelemetry conventions for MCP, and the decisions in them as events of those
 * spans and as a count. Paths are left out unless they were asked for; contents are never in it.
 */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #tracer: Api.Tracer;
  readonly #duration: Api.Histogram;
  readonly #sessions: Api.Histogram;
  readonly #decisions: Api.Counter;
  readonly #transport: Readonly<Record<string, string>>;

  constructor(options: TelemetryOptions) {
    const { api, version, transport } = options;
    this.#options = options;
    this.#tracer = api.trace.getTracer('rootward', version);
    const meter = api.metrics.getMeter('rootward', version);
    const advice = { explicitBucketBoundaries: BOUNDARIES };
    this.#duration = meter.createHistogram('mcp.server.operation.duration', {
      unit: 's',
      description: 'How long requests took, from when they came to when their answer left',
      advice,
    });
    this.#sessions = meter.createHistogram('mcp.server.session.duration', {
      unit: 's',
      description: 'How long connections lasted',
      advice,
    });
    this.#decisions = meter.createCounter('rootward.decisions', {
      description: 'Decisions about paths',
      unit: '{decision}',
    });
    this.#transport = { 'network.transport': transport === 'stdio' ? 'pipe' : 'tcp' };
  }

  /** Takes the events that the audit file and the page get. */
  readonly outlet: EventOutlet = ({ tool, path, decision, reason, session }) => {
    const { api, paths } = this.#options;
    const about = {
      'rootward.decision': decision,
      ...(reason !== undefined && { 'rootward.reason': reason }),
    };
    this.#decisions.add(1, { 'gen_ai.tool.name': tool, ...about });
    const span = api.trace.getActiveSpan();
    span?.addEvent(`rootward.${session === 'operator' ? 'action' : 'decision'}`, {
      ...about,
      ...(paths && { 'rootward.path': path }),
    });
  };

  begin({ tool, session, id, revision, meta }: TracedCall): CallTrace {
    const { api } = this.#options;
    const name = tool.slice(0, MAX_NAME);
    const common = {
      'mcp.method.name': METHOD,
      'gen_ai.tool.name': name,
      'gen_ai.operation.name': 'execute_tool',
      ...this.#transport,
      ...(revision !== undefined && { 'mcp.protocol.version': revision }),
    };
    const started = performance.now();
    const parent = api.propagation.extract(api.ROOT_CONTEXT, meta ?? {});
    const span = this.#tracer.startSpan(
      `${METHOD} ${name}`,
      {
        kind: api.SpanKind.SERVER,
        attributes: { ...common, 'mcp.session.id': session, 'jsonrpc.request.id': id },
      },
      parent,
    );
    const context = api.trace.setSpan(parent, span);
    return {
      run: (work) => api.context.with(context, work),
      end: (error) => {
        const failed = error === undefined ? {} : { 'error.type': error };
        if (error !== undefined) span.setStatus({ code: api.SpanStatusCode.ERROR });
        span.setAttributes(failed);
        span.end();
        this.#duration.record((performance.now() - started) / 1000, { ...common, ...failed });
      },
    };
  }

  /** Returns what notes that the connection has ended. */
  session(): () => void {
    const started = performance.now();
    return () => this.#sessions.record((performance.now() - started) / 1000, this.#transport);
  }
}
