import type { Logger, Sources } from '@rootward/core';
import { suggest } from '@rootward/core/platform';
import { ProcessGuard } from '@rootward/mcp/host';
import { CHANGE_POLICIES, ToolFilter, wrapStdio } from '@rootward/wrap';
import type { ChangePolicy, CommandTemplate, WatchCall } from '@rootward/wrap';
import { RootwardServerError } from '../../../error.js';
import { readinessLine } from '../../../serve/readiness.js';
import { StderrLogger } from '../../../serve/stderr-logger.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { fromEnvironment } from '../../../settings/from-environment.js';
import { fromFlags } from '../../../settings/from-flags.js';
import { requireWrappable } from '../../../settings/http-only.js';
import { VERSION } from '../../../version.js';
import { FINE, type Terminal } from '../../output/terminal.js';
import { findCommand } from '../../../wrapped/find-command.js';
import { WrappedProcess } from '../../../serve/wrapped-process.js';
import { openSandbox } from './open-sandbox.js';
import { readVariables } from './read-variables.js';

/** What the command line says beside the folders. */
export interface WrapFlags {
  readonly onChange?: string;
  /** As `NAME=VALUE`. */
  readonly setEnv?: readonly string[];
  readonly tools?: readonly string[];
  readonly hideTools?: readonly string[];
  readonly share?: boolean;
}

/** Runs a server behind this process. Undefined while it lives on. */
export async function runWrap(
  words: readonly string[],
  flags: WrapFlags,
  settings: LoadedSettings,
  terminal: Terminal,
): Promise<number | undefined> {
  const { start } = terminal;
  requireWrappable(settings);
  const policy = readPolicy(flags.onChange ?? 'auto');
  const set = readVariables(flags.setEnv);
  const template: CommandTemplate = { ...(await findCommand(words, start)), set, environment: process.env };
  if (flags.share === true && settings.http === undefined) {
    throw new RootwardServerError(
      'usage',
      'Cannot use --share without --http: over stdio there is one client',
    );
  }
  if (terminal.interactive && settings.http === undefined) {
    const { explainWrap } = await import('./explain-wrap.js');
    terminal.out(explainWrap(words, terminal.start));
    return FINE;
  }
  const log = new StderrLogger(settings.logLevel);
  const wrapped = await WrappedProcess.open(settings, start, log);
  const { prepared, sources, observer } = wrapped;
  // The members of rootward.json are about our own tools.
  const { tools, hideTools } = {
    ...fromEnvironment(start.environment),
    ...fromFlags({ tools: flags.tools, hideTools: flags.hideTools }, [], start),
  };
  const filter = new ToolFilter({ show: tools, hide: hideTools });
  const contained = await openSandbox(settings, start, wrapped, log);
  if (contained === undefined) wrapped.checkWithoutSandbox();
  const { directory } = start;
  const watch = await openWatch(settings, start, sources, log);
  const shown = { name: words.join(' '), sandbox: contained?.description ?? 'off' };
  const options = {
    prepared,
    template,
    policy,
    filter,
    log,
    directory,
    contain: contained?.contain,
    watch,
    shown,
    observer,
    guard: new ProcessGuard({ watchParent: settings.http === undefined }),
  };
  const transport = settings.http === undefined ? 'stdio' : 'http';
  options.guard.onShutdown(await wrapped.trace(transport));
  let place = 'stdio';
  if (settings.http === undefined) wrapStdio(options);
  else {
    const { wrapHttp } = await import('./wrap-http.js');
    const { url, madeToken } = await wrapHttp(
      { ...options, share: flags.share === true },
      settings,
      settings.http,
    );
    place = url;
    const token = madeToken === undefined ? '' : `\nThe token, made for this run: ${madeToken}`;
    terminal.out(
      `rootward ${VERSION} wraps a server, and serves MCP at ${url}${token}\nStop it with Ctrl+C.\n`,
    );
  }
  const { children } = options.guard;
  wrapped.show(transport, contained !== undefined, children, (hook) => void options.guard.onShutdown(hook));
  if (settings.ui) {
    const { showOwnPage } = await import('../ui.js');
    await showOwnPage(terminal);
  }
  if (contained !== undefined && settings.logLevel !== 'silent')
    terminal.err(`sandbox: ${contained.description}\n`);
  if (settings.logLevel !== 'silent') terminal.err(readinessLine(place, sources));
  return undefined;
}

async function openWatch(
  settings: LoadedSettings,
  start: Terminal['start'],
  sources: Sources,
  log: Logger,
): Promise<WatchCall | undefined> {
  if (!settings.historyExec) return undefined;
  const { callWatch } = await import('../../../wrapped/watch-calls.js');
  return callWatch(settings, start, sources, log);
}

function readPolicy(text: string): ChangePolicy {
  const policy = CHANGE_POLICIES.find((each) => each === text);
  if (policy !== undefined) return policy;
  throw new RootwardServerError(
    'usage',
    `Cannot use ${JSON.stringify(text)} as --on-change: expected ${CHANGE_POLICIES.join(', ')}${suggest(text, CHANGE_POLICIES)}`,
  );
}
