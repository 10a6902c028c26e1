import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { errnoOf } from './errno.js';
import { readProcessStat } from './process-stat.js';

/** Identifies a process. Where the system allows it, a later process with the same number is a different one. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system writes it; empty where the system does not say. */
  readonly start: string;
}

/** The identity of this process. */
export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, start: readProcessStat('self')?.start ?? '' };
}

/** Whether this very process still runs. Does NOT see processes of another machine or container: they count as gone. */
export function isRunning({ pid, start }: ProcessIdentity): boolean {
  return isAlive(pid) && (start === '' || readProcessStat(pid)?.start === start);
}

/** Whether a process has this number. Does NOT tell whether it is the same one as before; `isRunning()` does. */
export function isAlive(pid: number): boolean {
  // Node rejects numbers that do not fit into a process id; 0 and below mean groups.
  if (pid <= 0 || pid !== Math.trunc(pid) || pid > 0x7fffffff) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}

function readOr(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

/** Process ids only mean something within one boot of one machine and one pid namespace; folders are shared more widely. */
export function neighbourhood(): string {
  const boot = readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'));
  const namespace = readOr(() => readlinkSync('/proc/self/ns/pid'));
  return createHash('sha256').update(`${boot}\n${namespace}`).digest('hex').slice(0, 12);
}
