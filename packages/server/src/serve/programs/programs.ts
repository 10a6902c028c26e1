import type { ChildRegistry, WorkspaceServer } from '@rootward/mcp';
import type { AuditRecord } from '../../audit/audit-trail.js';
import type { EventHub } from '../../audit/event-hub.js';
import type { Era } from '../../era.js';
import type { ToolCatalogue } from '../../exec/project/tool-catalogue.js';
import { ToolRunner } from '../../exec/run/tool-runner.js';
import type { ProgramSandboxes } from '../../sandbox/program-sandboxes.js';
import type { Environment } from '../../settings/from-environment.js';
import type { Settings } from '../../settings/settings.js';
import { OpenQuestions } from '../../tools/exec/asking-runs.js';
import { allowProtocolErrors, type FailCall } from '../../tools/exec/protocol-errors.js';
import { registerExecutables } from '../../tools/exec/register-executables.js';
import { registerProject } from '../../tools/exec/register-project.js';
import { atClose } from '../../tools/framework/at-close.js';
import type { ToolChoice } from '../../tools/framework/tool-choice.js';
import { WatchedCalls } from '../../tools/framework/watched-call.js';
import { registerWrapped } from '../../tools/wrapped/register-wrapped.js';
import type { WrappedServers } from '../../wrapped/open-wrapped.js';

/** What of the setup of a server is about programs. */
interface ProgramsSetup {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly sandboxes: ProgramSandboxes;
  readonly events: EventHub;
  /** The executables of the tools project. */
  readonly catalogue: ToolCatalogue | undefined;
  readonly wrapped: WrappedServers | undefined;
}

export interface ProgramsOptions {
  readonly children: ChildRegistry;
  readonly onShutdown: (hook: () => void | Promise<void>) => void;
  readonly drainWith?: ((drain: () => Promise<void>) => void) | undefined;
  readonly choice: ToolChoice;
  /** Called after each run: files may be others now. */
  readonly onDidRun: () => void;
}

/** Whom a server is for. */
interface Served {
  readonly era: Era;
  /** With the settings of these clients. */
  readonly setup: ProgramsSetup;
  readonly session: { readonly id: string };
}

/**
 * What the servers of one process run for their clients: the executables of a tools project, and wrapped servers. Few
 * processes have any, so it is loaded where there are some.
 */
export class Programs {
  readonly #options: ProgramsOptions;
  /** One for all servers: the limit on how many run at once is theirs together. */
  readonly #runner: ToolRunner | undefined;
  readonly #questions = new OpenQuestions();
  /** Undefined where what programs change is not kept. */
  readonly #watched: WatchedCalls | undefined;

  constructor(setup: ProgramsSetup, options: ProgramsOptions) {
    this.#options = options;
    this.#runner = createRunner(setup, options);
    const { settings, wrapped } = setup;
    if (wrapped !== undefined) options.onShutdown(() => wrapped.close());
    if (!settings.historyExec) return;
    this.#watched = new WatchedCalls();
    noteBeforeLeaving(this.#watched, setup, options);
  }

  get running(): ToolRunner['running'] {
    return this.#runner?.running ?? [];
  }

  /** Call it before the first tool is registered; what it returns registers its own, after all others. */
  prepare(server: WorkspaceServer): (served: Served) => void {
    const runner = this.#runner;
    const fail = runner === undefined ? undefined : allowProtocolErrors(server);
    return (served) => {
      if (runner !== undefined && fail !== undefined) this.#offerExecutables(server, served, runner, fail);
      this.#offerWrapped(server, served);
    };
  }

  #offerExecutables(server: WorkspaceServer, served: Served, runner: ToolRunner, fail: FailCall): void {
    const { catalogue, settings } = served.setup;
    if (catalogue === undefined) return;
    const follow = lives(served);
    const { readOnly } = settings;
    const questions = this.#questions;
    const executables = registerExecutables(server, {
      ...this.#shared(served),
      catalogue,
      runner,
      questions,
      fail,
      readOnly,
      follow,
    });
    const content = registerProject(server, { catalogue, runner, follow });
    atClose(server, () => {
      executables[Symbol.dispose]();
      content[Symbol.dispose]();
    });
  }

  #offerWrapped(server: WorkspaceServer, served: Served): void {
    const { wrapped, settings } = served.setup;
    if (wrapped === undefined) return;
    const { readOnly } = settings;
    const followed = registerWrapped(server, wrapped.servers, {
      ...this.#shared(served),
      readOnly,
      follow: lives(served),
    });
    atClose(server, () => followed[Symbol.dispose]());
  }

  #shared({ setup: { events }, session }: Served): {
    readonly choice: ToolChoice;
    readonly watched: WatchedCalls | undefined;
    readonly onDidRun: () => void;
    readonly audit: (entry: Omit<AuditRecord, 'session'>) => void;
  } {
    const { choice, onDidRun } = this.#options;
    return {
      choice,
      watched: this.#watched,
      onDidRun,
      audit: (entry) => events.record({ ...entry, session: session.id }),
    };
  }
}

/** Over HTTP a modern server is made for each request, and sees what there is then. */
function lives({ era, setup }: Served): boolean {
  return era === 'legacy' || setup.settings.http === undefined;
}

/** What a program changed is noted after it has ended, which takes longer than a process stays that is told to leave. */
function noteBeforeLeaving(
  watched: WatchedCalls,
  { wrapped }: ProgramsSetup,
  { children, onShutdown, drainWith }: ProgramsOptions,
): void {
  if (drainWith === undefined) {
    onShutdown(() => watched.settled());
    return;
  }
  drainWith(async () => {
    if (watched.size === 0) return;
    await Promise.all([children.end(), wrapped?.close()]);
    await watched.settled();
  });
}

function createRunner(
  { catalogue, settings, environment, sandboxes }: ProgramsSetup,
  { children, onShutdown }: ProgramsOptions,
): ToolRunner | undefined {
  if (catalogue === undefined) return undefined;
  const { project } = catalogue;
  const runner = new ToolRunner({
    project,
    environment,
    mode: settings.toolEnvironment,
    downloadHosts: downloadHosts(settings, environment),
    children,
    sandbox: (run) => sandboxes.enter(run),
  });
  onShutdown(() => {
    catalogue.dispose();
    runner.dispose();
  });
  return runner;
}

function downloadHosts({ downloadHosts: given }: Settings, environment: Environment): readonly string[] {
  return (
    given ?? (environment['MCPBASH_HTTPS_ALLOW_HOSTS'] ?? '').split(/[\s,]+/).filter((host) => host !== '')
  );
}
