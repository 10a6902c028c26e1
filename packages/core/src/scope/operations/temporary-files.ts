import { randomBytes } from 'node:crypto';
import { lstatSync, unlinkSync } from 'node:fs';
import {
  isRunning,
  neighbourhood,
  thisProcess,
  type ProcessIdentity,
} from '../../platform/process-identity.js';
import { Pacer } from '../../platform/pacing.js';
import { readPinned } from '../pin/read-directory.js';
import type { Pin } from '../pin/pin.js';

const PATTERN = /^\.rootward-([0-9a-f]{12})-([0-9a-z]+)-([0-9a-z]+)-[0-9a-f]{12}\.tmp$/;
/** A file of another machine or container is left alone for a day, because its processes cannot be seen from here. */
const FOREIGN_AGE_MS = 24 * 60 * 60 * 1000;
/** How many swept folders are remembered. Beyond that, all are forgotten, which only means another listing. */
const MAX_SWEPT = 1024;

export function isTemporaryName(name: string): boolean {
  return name.startsWith('.rootward-') && PATTERN.test(name);
}

/** The process a name was made for; a start of 0 stands for one that is not known. */
function ownerOf(pid: string, start: string): ProcessIdentity {
  return { pid: Number.parseInt(pid, 36), start: start === '0' ? '' : String(Number.parseInt(start, 36)) };
}

function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process swept it first, or it is not ours to remove; the write itself does not depend on it.
  }
}

interface Writer extends ProcessIdentity {
  readonly neighbourhood: string;
}

/**
 * Names for half-written files that say who is writing, so that what a killed process left behind is recognised and
 * removed by the next write to the same folder, while the files of living processes are left alone.
 */
export class TemporaryFiles {
  /** Found out with the first write: most scopes only read. */
  #writer: Writer | undefined;
  readonly #swept = new Set<string>();
  readonly #unfinished = new Set<string>();

  /** The name for a half-written file of this directory. Call `end()` when it is in place or gone. */
  begin(directory: Pin): string {
    const path = directory.child(this.next());
    this.#unfinished.add(path);
    return path;
  }

  end(path: string): void {
    this.#unfinished.delete(path);
  }

  /** Removes all half-written files when the process ends. Writes that have not finished fail. */
  discard(): void {
    for (const path of this.#unfinished) discard(path);
    this.#unfinished.clear();
  }

  next(): string {
    const { pid, start, neighbourhood: own } = this.#self();
    const owner = `${pid.toString(36)}-${Number(start).toString(36)}`;
    return `.rootward-${own}-${owner}-${randomBytes(6).toString('hex')}.tmp`;
  }

  /** Once per folder: a listing is cheap, but not for every write. Never fails; it only tidies up. */
  async sweep(directory: Pin, signal?: AbortSignal): Promise<void> {
    const key = `${directory.stats.dev}:${directory.stats.ino}`;
    if (this.#swept.has(key)) return;
    if (this.#swept.size >= MAX_SWEPT) this.#swept.clear();
    this.#swept.add(key);
    const pacer = new Pacer(signal);
    try {
      for (const { name } of readPinned(directory)) {
        if (pacer.due) await pacer.rest();
        if (isTemporaryName(name) && this.#isLeftOver(name, directory)) discard(directory.child(name));
      }
    } catch {
      signal?.throwIfAborted();
    }
  }

  #self(): Writer {
    return (this.#writer ??= { ...thisProcess(), neighbourhood: neighbourhood() });
  }

  #isLeftOver(name: string, directory: Pin): boolean {
    const [, neighbours, pid = '', start = ''] = PATTERN.exec(name) ?? [];
    const stats = lstatSync(directory.child(name), { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile()) return false;
    if (neighbours === this.#self().neighbourhood) return !isRunning(ownerOf(pid, start));
    return Date.now() - stats.mtimeMs > FOREIGN_AGE_MS;
  }
}
