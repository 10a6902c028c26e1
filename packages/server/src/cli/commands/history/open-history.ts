import { statSync } from 'node:fs';
import { RootwardServerError } from '../../../error.js';
import type { Scope, Workspace } from '@rootward/core';
import { expandHome, silentLogger } from '@rootward/core/platform';
import type { History } from '@rootward/core/history';
import { openHistory } from '../../../history/open-history.js';
import { prepareServer, workspaceWithoutClient } from '../../../serve/prepare-server.js';
import type { LoadedSettings } from '../../../settings/load-settings.js';
import { namedPath } from '../../../settings/named-path.js';
import { requireTime } from '../../../history/read-time.js';
import type { ChangeFilter } from '../../../history/listed-change.js';
import { ownCommandHere } from '../../install/own-program.js';
import { harmless } from '../../output/paint.js';
import { quoteForShell } from '../../output/quote-for-shell.js';
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
  using workspace = await openWorkspace(settings, start);
  const mode = settings.history === 'off' ? 'best-effort' : settings.history;
  using history = await openHistory({ ...settings, history: mode }, start, silentLogger);
  return await use(history, workspace.scope());
}

/** Where nothing names a root, the folder the command runs in is one. */
async function openWorkspace(settings: LoadedSettings, start: Terminal['start']): Promise<Workspace> {
  const quiet = { ...settings, audit: undefined };
  const workspace = workspaceWithoutClient(await prepareServer(quiet, start, silentLogger));
  if (workspace.snapshot().roots.length > 0) return workspace;
  workspace.dispose();
  const here = { ...quiet, roots: [start.directory] };
  return workspaceWithoutClient(await prepareServer(here, start, silentLogger));
}

export function readSelection(
  { path, since, session }: SelectionFlags,
  scope: Scope,
  { home }: Terminal['start'],
): ChangeFilter {
  return {
    path: path === undefined ? undefined : scope.locate(expandHome(path, home)).path,
    since: since === undefined ? undefined : requireTime(since, '--since', Date.now()),
    session,
  };
}

/** A command of this program for the same folders, as it can be typed here. */
export function commandFor(words: readonly string[], scope: Scope, start: Terminal['start']): string {
  const folders = scope.roots.flatMap(({ kind, path }) => (kind === 'directory' ? [path] : []));
  const isHere = folders.length === 1 && folders[0] === start.directory;
  return [ownCommandHere(start), ...words, ...(isHere ? [] : folders).map(quoteForShell)].join(' ');
}

const MAX_NAMED = 3;

/** The folders that were looked at, for a message. */
export function placesOf({ roots }: Scope): string {
  const shown = roots.slice(0, MAX_NAMED).map(({ path }) => harmless(path));
  const rest = roots.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** Whether a word on the command line names a folder, as opposed to a change or an action. */
export function isFolder(word: string, start: Terminal['start']): boolean {
  return statSync(namedPath(word, start), { throwIfNoEntry: false })?.isDirectory() === true;
}

export function wrongUse(message: string): RootwardServerError {
  return new RootwardServerError('usage', message);
}
