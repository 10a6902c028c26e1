import type { Connection, PageState } from './connection.js';

/** What every view gets. */
export interface ViewProps {
  readonly state: PageState;
  readonly act: Connection['act'];
}

export function timeOf(time: string | number): string {
  return new Date(time).toLocaleTimeString([], { hour12: false });
}

/** The last part of a path, which tells it from its neighbours. */
export function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path;
}
