import { readFileSync } from 'node:fs';

/** A process, told apart from a later one with the same number where the system allows. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own terms; empty where it does not tell. */
  readonly start: string;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, start: startOf(process.pid) };
}

/** Does NOT know processes of another machine or container: to those it says that they are gone. */
export function isRunning({ pid, start }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  return start === '' || startOf(pid) === start;
}

function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command may hold blanks and brackets; the numbers follow the last closing one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
