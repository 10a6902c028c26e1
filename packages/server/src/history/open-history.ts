import type { Logger } from '@rootward/core';
import type { History } from '@rootward/core/history';
import { stateDirectory } from '@rootward/core/platform';
import { join } from 'node:path';
import type { Environment } from '../settings/from-environment.js';
import type { Settings } from '../settings/settings.js';

/** Whose history it is. */
export interface User {
  readonly environment: Environment;
  readonly home: string;
}

type HistorySettings = Pick<Settings, 'history' | 'historyBounds'>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Where it is kept. Out of reach of the tools. */
function historyFolder({ environment, home }: User): string {
  return join(stateDirectory(environment, home), 'history');
}

/** Loaded with the first change, since most sessions only read. Undefined where the operator wants none. */
export function historyOpener(
  settings: HistorySettings,
  user: User,
  log: Logger,
): (() => Promise<History>) | undefined {
  if (settings.history === 'off') return undefined;
  let opening: Promise<History> | undefined;
  return () => (opening ??= openHistory(settings, user, log));
}

/** The history of this user, with the bounds that the operator has set. */
export async function openHistory(
  { history: mode, historyBounds: { maxBytes, maxDays, maxFileBytes } }: HistorySettings,
  user: User,
  log: Logger,
): Promise<History> {
  const { defaultHistoryLimits, History: Kept } = await import('@rootward/core/history');
  const limits = {
    maxBytes: maxBytes ?? defaultHistoryLimits.maxBytes,
    maxAgeMs: maxDays === undefined ? defaultHistoryLimits.maxAgeMs : maxDays * DAY_MS,
    maxFileBytes: maxFileBytes ?? defaultHistoryLimits.maxFileBytes,
  };
  const isRequired = mode === 'required';
  return new Kept({ directory: historyFolder(user), mode: isRequired ? mode : 'best-effort', limits, log });
}
