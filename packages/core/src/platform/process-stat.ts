import { readdirSync, readFileSync } from 'node:fs';

/** What Linux tells about a process in `/proc/N/stat`. */
export interface ProcessStat {
  /** One letter; `Z` and `X` have ended. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it started, in ticks since the machine started. */
  readonly start: string;
  /** Resident memory in pages. */
  readonly pages: number;
}

/** Undefined where the process is gone or the system has no `/proc`. */
export function readProcessStat(pid: number | 'self'): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name may contain spaces and parentheses; the other fields start after the last closing one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, group, session] = fields;
    return {
      state,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      start: fields[19] ?? '',
      pages: Number(fields[21]),
    };
  } catch {
    return undefined;
  }
}

/** The ids of all processes; empty where the system has no `/proc`. */
export function listProcesses(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
