import { readdirSync, readFileSync } from 'node:fs';

export type GroupSignal = 'SIGTERM' | 'SIGKILL' | 0;

/**
 * Signals everything in the group a tool leads, also when the tool itself is gone; false when there is nobody left.
 * Does NOT reach a process that made a group of its own.
 */
export function signalGroup(leader: number, signal: GroupSignal): boolean {
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, signal);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Whether anybody in the group still runs. One that has ended counts no longer, even where nobody collects it. */
export function isGroupAlive(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false;
  return process.platform === 'linux' ? hasLivingMember(leader) : true;
}

/** In a container without an init process, orphans that ended stay in the table for ever. */
function hasLivingMember(group: number): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // The command name may hold blanks and brackets; the rest starts after the last closing one.
      const [state, , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return Number(itsGroup) === group && state !== 'Z' && state !== 'X';
    } catch {
      return false;
    }
  });
}
