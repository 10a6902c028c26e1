import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/**
 * Waits for the end of its input, which is the end of the server, in whatever way it comes. Then it kills the groups
 * that the server has noted, and removes the server's folders.
 */
const SCRIPT = `
while IFS= read -r _; do :; done
while IFS= read -r n; do
  case $n in *[!0-9]*|'') continue ;; esac
  [ "$n" -le 1 ] || kill -s KILL -- "-$n" 2>/dev/null
done <"$1/groups"
rm -rf -- "$@"
`;

/** Each number has its place in the file, so that noting one is one small write and wakes nobody. */
const DIGITS = 10;
const NOBODY = 0;

/**
 * A small shell that outlives the server by a moment, so that no tool does: a server that is killed cannot clean up
 * itself, and the parent-death signal of Linux reaches one process, not its children. One per server, started with the
 * first tool. Does NOT exist on Windows, and does NOT find processes that made a group of their own.
 */
export class GroupGuard implements Disposable {
  readonly #folders: readonly string[];
  #shell: ChildProcess | undefined;
  /** Undefined when there is nothing to note any more. */
  #file: number | undefined;
  /** The group noted at each place; 0 where there is none. */
  readonly #places: number[] = [];

  /** `folder` must exist; it and `others` are the guard's to remove. */
  constructor(folder: string, others: readonly string[] = []) {
    this.#folders = [folder, ...others];
    if (process.platform === 'win32') return;
    this.#file = openSync(join(folder, 'groups'), 'w', 0o600);
    this.#shell = startShell(this.#folders);
  }

  watch(group: number): void {
    // What kept it from starting, such as too many open files, may be over.
    if (this.#file !== undefined) this.#shell ??= startShell(this.#folders);
    const free = this.#places.indexOf(NOBODY);
    this.#note(free === -1 ? this.#places.length : free, group);
  }

  forget(group: number): void {
    const place = this.#places.indexOf(group);
    if (place !== -1) this.#note(place, NOBODY);
  }

  /** The guard ends by itself, and takes the folders along. */
  dispose(): void {
    this.#shell?.stdin?.end();
    if (this.#file !== undefined) closeSync(this.#file);
    // Its number may soon be that of another file, and runs that end now would write there.
    this.#file = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #note(place: number, group: number): void {
    this.#places[place] = group;
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, `${String(group).padStart(DIGITS, '0')}\n`, place * (DIGITS + 1));
    } catch {
      // A full disk: the tool runs unguarded, but the server still ends it in time.
    }
  }
}

/** Undefined when it did not start. */
function startShell(folders: readonly string[]): ChildProcess | undefined {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'rootward-guard', ...folders], {
    // A group of its own: whatever ends the server's group must leave the guard to its work.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
  });
  // Neither a missing shell nor its end may disturb the server.
  shell.on('error', ignore);
  if (shell.pid === undefined) return undefined;
  shell.stdin?.on('error', ignore);
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return shell;
}

function ignore(): void {
  // Without the guard, the server still ends its tools itself.
}
