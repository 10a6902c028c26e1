import { RootwardServerError } from '../../../error.js';
import type { Scope } from '@rootward/core';
import { silentLogger } from '@rootward/core/platform';
import type { History } from '@rootward/core/history';
import { openHistory } from '../../../history/open-history.js';
import { prepareServer, workspaceWithoutClient } from '../../../serve/prepare-server.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { requireTime } from '../../../history/read-time.js';
import type { ChangeFilter } from '../../../history/listed-change.js';
import type { Terminal } from '../../output/terminal.js';

/** What selects changes on the command line. */
export interface SelectionFlags {
  readonly path?: string;
  readonly since?: string;
  readonly session?: string;
  readonly json?: boolean;
}

/** The history as a server here would see it, also where it would keep none itself. */
export async function withHistory(
  settings: LoadedSettings,
  { start }: Terminal,
  use: (history: History, scope: Scope) => Promise<number>,
): Promise<number> {
  const setup = await prepareServer({ ...settings, audit: undefined }, start, silentLogger);
  using workspace = workspaceWithoutClient(setup);
  const mode = settings.history === 'off' ? 'best-effort' : settings.history;
  using history = await openHistory({ ...settings, history: mode }, start, silentLogger);
  return await use(history, workspace.scope());
}

export function readSelection({ path, since, session }: SelectionFlags, scope: Scope): ChangeFilter {
  return {
    path: path === undefined ? undefined : scope.locate(path).path,
    since: since === undefined ? undefined : requireTime(since, '--since', Date.now()),
    session,
  };
}

export function wrongUse(message: string): RootwardServerError {
  return new RootwardServerError('usage', message);
}
