import { RootwardError, type Scope } from '@rootward/core';
import type { History } from '@rootward/core/history';
import { readTime } from '../../history/read-time.js';
import type { ToolContext } from '../framework/tool-context.js';

interface CallersHistory {
  readonly history: History;
  /** What a caller over HTTP may see is its own. */
  readonly mine: { readonly principal?: string };
  readonly session: string;
}

/** The history, and which part of it a caller may see. */
export async function historyOf({ workspace }: ToolContext, scope: Scope): Promise<CallersHistory> {
  // Refused like every path where there are no roots.
  if (scope.roots.length === 0) scope.locate('.');
  const { history } = workspace;
  if (history === undefined) {
    throw new RootwardError('history-unavailable', 'Cannot look at the history: this server keeps none');
  }
  const { principal, session } = history;
  return { history: await history.open(), session, mine: principal === '' ? {} : { principal } };
}

export function timeArgument(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const time = readTime(text, Date.now());
  if (time !== undefined) return time;
  throw new RootwardError(
    'invalid-option',
    `Cannot use ${JSON.stringify(text)} as since: expected a time such as 10m, 2h, 1d or 2026-11-16T08:00`,
    { instruction: 'Pass a length of time or a date' },
  );
}
