import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/**
 * Reads group numbers to remember (`+N`) and to forget (`-N`). When its input ends, because the server has ended, in
 * whatever way, it kills what is left and removes the server's folder.
 */
const SCRIPT = `
groups=' '
while IFS= read -r line; do
  n=\${line#?}
  case $line in
    +*) groups="$groups$n " ;;
    -*) groups="\${groups%% $n *} \${groups#* $n }" ;;
  esac
done
for n in $groups; do kill -s KILL -- "-$n" 2>/dev/null; done
rm -rf -- "$1"
`;

/**
 * A small shell that outlives the server by a moment, so that no tool does: a server that is killed cannot clean up
 * itself, and the parent-death signal of Linux reaches one process, not its children. One per server, started with the
 * first tool. Does NOT exist on Windows, and does NOT find processes that made a group of their own.
 */
export class GroupGuard implements Disposable {
  readonly #folder: string;
  #shell: ChildProcess | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  watch(group: number): void {
    this.#send(`+${group}\n`);
  }

  forget(group: number): void {
    this.#send(`-${group}\n`);
  }

  /** The guard ends by itself, and takes the folder along. */
  dispose(): void {
    this.#shell?.stdin?.end();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #send(line: string): void {
    if (process.platform === 'win32') return;
    this.#shell ??= this.#start();
    this.#shell.stdin?.write(line);
  }

  #start(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', SCRIPT, 'rootward-guard', this.#folder], {
      // A group of its own: whatever ends the server's group must leave the guard to its work.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
    });
    // Neither a missing shell nor its end may disturb the server.
    shell.on('error', ignore);
    shell.stdin?.on('error', ignore);
    shell.unref();
    if (shell.stdin !== null && 'unref' in shell.stdin && typeof shell.stdin.unref === 'function') {
      shell.stdin.unref();
    }
    return shell;
  }
}

function ignore(): void {
  // See where it is used.
}
