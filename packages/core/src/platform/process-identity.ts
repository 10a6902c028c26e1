import { errnoOf } from './errno.js';
import { readProcessStat } from './process-stat.js';

/** A process, told apart from a later one with the same number where the system allows. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the system's own terms; empty where the system does not tell. */
  readonly start: string;
}

/** The identity of this process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, start: readProcessStat('self')?.start ?? '' };
}

/** Whether this very process still runs. Does NOT know processes of another machine or container: those are gone. */
export function isRunning({ pid, start }: ProcessIdentity): boolean {
  return isAlive(pid) && (start === '' || readProcessStat(pid)?.start === start);
}

/** Whether a process has this number. Does NOT tell whether it is the same one as before; `isRunning()` does. */
export function isAlive(pid: number): boolean {
  // Node refuses what does not fit into a process id, and 0 and below mean groups.
  if (pid <= 0 || pid !== Math.trunc(pid) || pid > 0x7fffffff) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}
