import { randomBytes } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import type { Pin } from './pin.js';

const PREFIX = '.rootward-';
const SUFFIX = '.tmp';
const PATTERN = /^\.rootward-([0-9a-z]+)-([0-9a-z]+)-([0-9a-z]+)-[0-9a-z]+\.tmp$/;
/** A file of another machine or container, whose processes cannot be seen from here, is given a day. */
const FOREIGN_AGE_MS = 24 * 60 * 60 * 1000;
/** Folders remembered as swept; past this the memory starts anew, which only costs another listing. */
const MAX_SWEPT = 1024;

/** When the process with this id started, or undefined where the system does not tell (no `/proc`) or it is gone. */
function startOf(pid: number | 'self'): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the command in parentheses and may itself contain blanks and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** Process ids only mean something within one pid namespace: containers may share a folder but not their ids. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
  } catch {
    return '0';
  }
}

function isAlive(pid: number, start: string): boolean {
  const now = startOf(pid);
  if (now !== undefined) return start === '0' || Number(now).toString(36) === start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Names for half-written files that say who is writing, so that what a killed process left behind is recognised and
 * removed by the next write to the same folder, while the files of living processes are left alone.
 */
export class TemporaryFiles {
  readonly #namespace = Number(pidNamespace()).toString(36);
  readonly #start = Number(startOf('self') ?? 0).toString(36);
  /** Two scopes of one process may write to the same folder at once, each with its own count. */
  readonly #instance = randomBytes(6).toString('hex');
  readonly #swept = new Set<string>();
  #count = 0;

  next(): string {
    this.#count++;
    return `${PREFIX}${this.#namespace}-${process.pid.toString(36)}-${this.#start}-${this.#instance}${this.#count.toString(36)}${SUFFIX}`;
  }

  /** Once per folder: a listing is cheap, but not for every write. */
  sweep(directory: Pin): void {
    const key = `${directory.stats.dev}:${directory.stats.ino}`;
    if (this.#swept.has(key)) return;
    if (this.#swept.size >= MAX_SWEPT) this.#swept.clear();
    this.#swept.add(key);
    for (const name of readdirSync(directory.self)) {
      if (name.startsWith(PREFIX) && this.#isLeftOver(name, directory)) this.#discard(directory.child(name));
    }
  }

  #isLeftOver(name: string, directory: Pin): boolean {
    const [, namespace, pid, start] = PATTERN.exec(name) ?? [];
    if (namespace === undefined || pid === undefined || start === undefined) return false;
    const stats = lstatSync(directory.child(name), { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile()) return false;
    if (namespace === this.#namespace) return !isAlive(Number.parseInt(pid, 36), start);
    return Date.now() - stats.mtimeMs > FOREIGN_AGE_MS;
  }

  #discard(path: string): void {
    try {
      unlinkSync(path);
    } catch {
      // Another process swept it first, or it is not ours to remove; the write itself does not depend on it.
    }
  }
}
