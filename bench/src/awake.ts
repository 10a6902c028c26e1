import { spawn, type ChildProcess } from 'node:child_process';
import { availableParallelism, constants, setPriority } from 'node:os';

/**
 * Keeps every core from going to sleep while something is measured. A call over a pipe lets each core wait twice, and on a
 * virtual machine waking one takes longer than either server: that would be measured, and not the same from run to run.
 */
export async function whileAwake<Result>(run: () => Promise<Result>): Promise<Result> {
  const idlers = Array.from({ length: availableParallelism() }, startIdler);
  try {
    return await run();
  } finally {
    for (const idler of idlers) idler.kill('SIGKILL');
  }
}

/** It runs when nobody else wants to, and makes room at once. */
function startIdler(): ChildProcess {
  const loop = ['-e', 'for (;;);'];
  const idler =
    process.platform === 'linux'
      ? spawn('chrt', ['--idle', '0', process.execPath, ...loop], { stdio: 'ignore' })
      : spawn(process.execPath, loop, { stdio: 'ignore' });
  // Without chrt, cores sleep as they like.
  idler.on('error', () => undefined);
  if (idler.pid !== undefined) setPriority(idler.pid, constants.priority.PRIORITY_LOW);
  return idler;
}
