import type { Logger, Workspace } from '@rootward/core';
import { silentLogger } from '@rootward/core/platform';
import { unknownVariables } from '../../settings/from-environment.js';
import type { LoadedSettings } from '../../settings/load-settings.js';
import type { LogLevel } from '../../settings/values/option-values.js';
import { prepareServer, workspaceWithoutClient } from '../../serve/prepare-server.js';
import { StderrLogger } from '../../serve/stderr-logger.js';
import { harmless, painter } from '../output/paint.js';
import { showSnapshot } from '../output/show-snapshot.js';
import { FINE, printJson, displayFor, type Terminal } from '../output/terminal.js';

/** A command prints a server's warnings in words; `--log-level` gives what a server would write. */
const TALKATIVE: ReadonlySet<LogLevel> = new Set(['info', 'debug']);

/** Prints which roots a server would have here before a client says anything, and why. */
export async function runRoots(
  settings: LoadedSettings,
  { json }: { readonly json: boolean },
  terminal: Terminal,
): Promise<number> {
  using workspace = await openWorkspace(settings, terminal);
  warnOfVariables(settings, terminal);
  if (json) printJson(terminal, describe(workspace));
  else terminal.out(showSnapshot(workspace, displayFor(terminal, 'out')));
  return FINE;
}

/** The workspace of a server without a client. */
export async function openWorkspace(settings: LoadedSettings, { start }: Terminal): Promise<Workspace> {
  const log = commandLogger(settings);
  return workspaceWithoutClient(await prepareServer({ ...settings, audit: undefined }, start, log));
}

/** What a command that ends by itself writes in addition to its answer. */
export function commandLogger({ logLevel }: LoadedSettings): Logger {
  return TALKATIVE.has(logLevel) ? new StderrLogger(logLevel) : silentLogger;
}

/** Says which variables look like ours and are not. */
export function warnOfVariables({ logLevel }: LoadedSettings, terminal: Terminal): void {
  if (logLevel !== 'warn') return;
  const paint = painter(displayFor(terminal, 'err'));
  for (const warning of unknownVariables(terminal.start.environment)) {
    terminal.err(`${paint('doubtful', 'rootward:')} ${harmless(warning)}\n`);
  }
}

function describe(workspace: Workspace): unknown {
  const { rejected, trace } = workspace.snapshot();
  return {
    roots: workspace.scope().roots,
    rejected,
    trace: trace.map(({ source, verdict, detail }) => ({ source, verdict, detail })),
  };
}
