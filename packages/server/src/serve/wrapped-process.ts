import { OperatorLimits, viewSnapshot } from '@rootward/core';
import type { Logger, OperatorLimit, Snapshot, Sources, WorkspaceView } from '@rootward/core';
import { prepareWorkspace } from '@rootward/mcp/host';
import type { ChildRegistry, PreparedWorkspace, WorkspaceOptions } from '@rootward/mcp/host';
import type { SessionObserver } from '@rootward/wrap';
import type { AuditTrail } from '../audit/audit-trail.js';
import { EventHub } from '../audit/event-hub.js';
import { openAudit } from '../audit/open-audit.js';
import { historyOpener } from '../history/open-history.js';
import { prepareSources, sourceOptions, type StartContext } from './prepare-sources.js';
import { showProcess } from './show-to-pages.js';
import type { LoadedSettings } from '../settings/load-settings.js';
import { TOOL_ERROR, type Telemetry } from '../telemetry/telemetry.js';
import { NOT_ENFORCED, refuseReadOnly, rulesForSandbox } from '../wrapped/unenforced-rules.js';
import { LiveSessions } from '../watch/live-process.js';
import { WaitingQuestions } from '../watch/waiting-questions.js';

const CAVEAT =
  'A wrapped server is told its folders. It runs without a sandbox, so nothing holds it to them but itself.';

/** What a wrapped server may touch, and what pages, the audit file and telemetry see of it. */
export class WrappedProcess {
  readonly prepared: PreparedWorkspace;
  readonly sources: Sources;
  /** What the operator took away since the start. */
  readonly limits: OperatorLimits;
  readonly #sessions = new LiveSessions();
  readonly #events = new EventHub();
  readonly #start: StartContext;
  readonly #settings: LoadedSettings;
  readonly #log: Logger;
  readonly #audit: AuditTrail | undefined;
  #telemetry: Telemetry | undefined;

  /** Throws where something named by the operator cannot be used. */
  static async open(settings: LoadedSettings, start: StartContext, log: Logger): Promise<WrappedProcess> {
    const options = sourceOptions(settings, start, log);
    const { sources } = await prepareSources(settings, options);
    return new WrappedProcess(options, sources, settings, start, log);
  }

  private constructor(
    options: WorkspaceOptions,
    found: Sources,
    settings: LoadedSettings,
    start: StartContext,
    log: Logger,
  ) {
    this.limits = new OperatorLimits();
    this.sources = { ...found, limits: this.limits };
    this.prepared = prepareWorkspace({ ...options, sources: this.sources });
    this.#settings = settings;
    this.#start = start;
    this.#log = log;
    this.#audit = openAudit(settings.audit, this.#events, log);
  }

  get observer(): SessionObserver {
    const sessions = this.#sessions;
    const events = this.#events;
    return {
      get wanted() {
        return events.wanted;
      },
      opened: ({ id, era, client, snapshot, onDidChange }) => {
        const view = viewOf(snapshot);
        return sessions.add({ id, era, since: Date.now(), client, view, onDidChange });
      },
      called: ({ session, principal: caller, tool, path, refusal, message }) => {
        const principal = caller === undefined ? undefined : [caller];
        const decision = refusal === undefined ? 'allowed' : 'refused';
        const record = (): void =>
          events.record({ session, principal, tool, path, decision, reason: refusal });
        const meta: unknown = message.value('params', '_meta');
        const id = message.id ?? '';
        const trace = this.#telemetry?.begin({ tool, session, id, revision: undefined, meta });
        if (trace === undefined) record();
        else trace.run(record);
        return (failed) => trace?.end(failed ? TOOL_ERROR : undefined);
      },
    };
  }

  /** Sends calls to OpenTelemetry, where the operator wants that. Returns what sends the rest of it. */
  async trace(transport: 'stdio' | 'http'): Promise<() => Promise<void>> {
    const { openTelemetry } = await import('../telemetry/open-telemetry.js');
    const { telemetryPaths: paths } = this.#settings;
    const opened = await openTelemetry(this.#start.environment, { transport, paths }, this.#log);
    this.#telemetry = opened?.telemetry;
    if (opened === undefined) return () => Promise.resolve();
    this.#events.add(opened.telemetry.outlet);
    return opened.close;
  }

  /** Without a sandbox: throws `usage` where the operator wants no changes, and warns of other rules. */
  checkWithoutSandbox(): void {
    refuseReadOnly(this.#settings);
    const rules = rulesForSandbox(this.#settings, this.sources);
    if (rules.length > 0) this.#log.warn(NOT_ENFORCED, { rules });
  }

  /** Lets pages find the process. */
  show(
    transport: string,
    isSandboxed: boolean,
    children: ChildRegistry,
    onShutdown: (hook: () => void) => void,
  ): void {
    onShutdown(() => this.#audit?.dispose());
    const { historyExec } = this.#settings;
    const live = {
      transport: `wrap, ${transport}`,
      directory: this.#start.directory,
      events: this.#events,
      limits: this.limits,
      sessions: this.#sessions,
      questions: new WaitingQuestions(),
      children: [children],
      history: historyExec ? historyOpener(this.#settings, this.#start, this.#log) : undefined,
      caveat: isSandboxed ? undefined : this.#caveat(),
      checkLimit: (path: string, limit: OperatorLimit) => this.#checkLimit(path, limit, isSandboxed),
    };
    showProcess(live, this.#start, onShutdown);
  }

  #caveat(): string {
    const rules = rulesForSandbox(this.#settings, this.sources);
    return rules.length === 0 ? CAVEAT : `${CAVEAT} Not enforced: ${rules.join(', ')}.`;
  }

  /** A server that another wrote is started with roots: only whole ones can be taken from it. */
  #checkLimit(path: string, limit: OperatorLimit, isSandboxed: boolean): void {
    const roots = this.#sessions.list().flatMap(({ view }) => view.snapshot().roots);
    if (!roots.some((root) => root.path === path)) {
      throw new Error('Cannot limit a part of a root: a wrapped server can only lose whole roots');
    }
    if (limit === 'read-only' && !isSandboxed) {
      throw new Error(
        'Cannot make it read-only: without a sandbox nothing holds a wrapped server to it. Revoke it, or start the server with --sandbox write',
      );
    }
  }
}

/** Made once for each snapshot. */
function viewOf(snapshot: () => Snapshot): Pick<WorkspaceView, 'snapshot' | 'scope' | 'project'> {
  let last: { readonly of: Snapshot; readonly view: WorkspaceView } | undefined;
  const view = (): WorkspaceView => {
    const now = snapshot();
    if (last?.of !== now) last = { of: now, view: viewSnapshot(now) };
    return last.view;
  };
  return { snapshot, scope: () => view().scope(), project: () => view().project() };
}
