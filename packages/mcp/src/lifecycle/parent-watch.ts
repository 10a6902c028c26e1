import { disposable, isAlive } from '@rootward/core/platform';

/** How often to look; a parent's death must be acted on within one second. */
const INTERVAL_MS = 250;
/** A process whose parent is init from the start cannot tell whether that is its real parent. */
const INIT = 1;

/**
 * Calls `onDeath` once when the parent process is gone: stdin does not end when another process still holds its
 * other side. Does NOT keep the process alive.
 */
export function watchParent(onDeath: () => void): Disposable {
  const parent = process.ppid;
  if (parent <= INIT) return disposable(() => undefined);
  const timer = setInterval(() => {
    // On Windows `ppid` keeps naming a parent that is gone.
    if (process.ppid === parent && isAlive(parent)) return;
    clearInterval(timer);
    onDeath();
  }, INTERVAL_MS);
  timer.unref();
  return disposable(() => clearInterval(timer));
}
