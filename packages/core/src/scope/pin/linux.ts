import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, statfsSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { MAX_PIN_ATTEMPTS, unstablePath } from './pin.js';
import type { Guarantee, Pin, PinOptions, Platform } from './pin.js';

// Not in fs.constants. Opens nothing: only holds on to the object the path leads to.
const O_PATH = 0o10000000;
const PROC_SUPER_MAGIC = 0x9fa0;
const REPLACEMENT_CHARACTER = '\uFFFD';

let known = { pid: 0, directory: '' };

/**
 * The descriptors of this process, by its number: the kernel makes the link `/proc/self` anew each time it is followed.
 * `/proc` itself is asked for it, since it may be mounted from outside, where this process has another number.
 */
function descriptors(): string {
  const { pid } = process;
  if (known.pid !== pid) known = { pid, directory: `/proc/${readlinkSync('/proc/self')}/fd/` };
  return known.directory;
}

function notUtf8(): Error {
  return Object.assign(new Error('EILSEQ: the name on disk is not valid UTF-8'), { code: 'EILSEQ' });
}

class LinuxPin implements Pin {
  readonly path: string;
  readonly stats: Stats;
  readonly self: string;
  readonly #fd: number;

  constructor(fd: number, self: string, path: string, stats: Stats) {
    this.#fd = fd;
    this.path = path;
    this.stats = stats;
    this.self = self;
  }

  child(name: string): string {
    return `${this.self}/${name}`;
  }

  reopen(flags: number): number {
    return openSync(this.self, flags);
  }

  reopenHandle(flags: number): Promise<FileHandle> {
    return open(this.self, flags);
  }

  hasMoved(): boolean {
    return readlinkSync(this.self) !== this.path;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/**
 * Opens with O_PATH, then asks the kernel where the opened object is. The name is only believed when it leads
 * back to the same object: a replaced file reads `name (deleted)`, and an object of another mount namespace
 * (reached through a link to `/proc/<pid>/root`) shows a path that means something else here.
 */
function pinOnLinux(path: string, options: PinOptions = {}): Pin {
  const flags =
    O_PATH |
    (options.directory === true ? constants.O_DIRECTORY : 0) |
    (options.noFollow === true ? constants.O_NOFOLLOW : 0);
  for (let attempt = 0; attempt < MAX_PIN_ATTEMPTS; attempt++) {
    const fd = openSync(path, flags);
    let pinned = false;
    try {
      const self = descriptors() + fd;
      const where = readlinkSync(self);
      const stats = fstatSync(fd);
      const there = lstatSync(where, { throwIfNoEntry: false });
      if (there !== undefined && there.ino === stats.ino && there.dev === stats.dev) {
        pinned = true;
        return new LinuxPin(fd, self, where, stats);
      }
      if (where.includes(REPLACEMENT_CHARACTER)) throw notUtf8();
    } catch (error) {
      // The name became invalid between two calls (a component became a file or a loop): treated as a mismatch.
      if (attempt === MAX_PIN_ATTEMPTS - 1) throw error;
    } finally {
      if (!pinned) closeSync(fd);
    }
  }
  throw unstablePath();
}

const RACE_FREE: Guarantee = 'race-free';

/** The Linux platform, or undefined where there is no genuine `/proc` to ask. */
export function linuxPlatform(): Platform | undefined {
  try {
    if (statfsSync('/proc').type !== PROC_SUPER_MAGIC) return undefined;
    pinOnLinux('/').close();
  } catch {
    return undefined;
  }
  return { guarantee: () => RACE_FREE, pin: pinOnLinux };
}
