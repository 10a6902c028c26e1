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
