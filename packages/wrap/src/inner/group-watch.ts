import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { disposable } from '@rootward/core/platform';

/**
 * Waits for the end of its input, which is the end of this process in whatever way it comes, and kills a group. Where Linux
 * tells the session of a process, it kills what is left of that, too; a second look finds what was forked during the first.
 */
const SCRIPT = `
while IFS= read -r _; do :; done
kill -s KILL -- "-$1" 2>/dev/null
session=$1
for look in 1 2; do
  for file in /proc/[0-9]*/stat; do
    IFS= read -r stat 2>/dev/null <"$file" || continue
    set -- \${stat##*) }
    [ "$4" = "$session" ] || continue
    process=\${file#/proc/}
    kill -s KILL "\${process%/stat}" 2>/dev/null
  done
done`;

/**
 * A small shell that outlives this process by a moment: a process that is killed cannot end its children. Dispose of it
 * when the group has ended, since its number may then belong to others. Does NOT exist on Windows, and does NOT find
 * processes that made a session of their own or, where the system has no `/proc`, a group.
 */
export function watchGroup(group: number): Disposable {
  if (process.platform === 'win32') return disposable(ignore);
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'rootward-watch', String(group)], {
    // In a group of its own, or it would end with the one it watches.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
  });
  shell.on('error', ignore);
  shell.stdin.on('error', ignore);
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return disposable(() => void shell.kill('SIGKILL'));
}

function ignore(): void {
  // Neither a missing shell nor its end may disturb the server.
}
