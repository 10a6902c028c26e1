import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { unstablePath } from './pin.js';
import type { Guarantee, Operation, Pin, PinOptions, Platform } from './pin.js';

// macOS: the kernel refuses a link in any component. Not in fs.constants.
const O_NOFOLLOW_ANY = 0x20000000;
// Absent on Windows, where it reads as undefined.
const O_NOFOLLOW: number = constants.O_NOFOLLOW ?? 0;

const OPENING: ReadonlySet<Operation> = new Set(['open', 'readText', 'readBytes']);

function sameObject(left: Stats, right: Stats): boolean {
  return left.ino === right.ino && left.dev === right.dev;
}

/** Holds a name, not the object: a process that swaps a component between two calls may succeed. */
class PortablePin implements Pin {
  readonly path: string;
  readonly stats: Stats;
  readonly self: string;
  readonly #flags: number;

  constructor(path: string, stats: Stats, flags: number) {
    this.path = path;
    this.self = path;
    this.stats = stats;
    this.#flags = flags;
  }

  child(name: string): string {
    return join(this.path, name);
  }

  reopen(flags: number): number {
    const fd = openSync(this.path, flags | this.#flags);
    if (sameObject(fstatSync(fd), this.stats)) return fd;
    closeSync(fd);
    throw unstablePath();
  }

  async reopenHandle(flags: number): Promise<FileHandle> {
    const handle = await open(this.path, flags | this.#flags);
    if (sameObject(await handle.stat(), this.stats)) return handle;
    await handle.close();
    throw unstablePath();
  }

  hasMoved(): boolean {
    return false;
  }

  close(): void {}
}

function notADirectory(path: string): Error {
  return Object.assign(new Error(`ENOTDIR: not a directory, open '${path}'`), { code: 'ENOTDIR' });
}

/**
 * For systems without a way to ask for the path of an opened object: canonicalise, then open without following
 * links and compare. Sound for opening on macOS; elsewhere a narrow window remains, so it promises best effort.
 */
export function portablePlatform(system: NodeJS.Platform = process.platform): Platform {
  const darwin = system === 'darwin';
  const openFlags = darwin ? O_NOFOLLOW_ANY : O_NOFOLLOW;
  return {
    guarantee: (operation): Guarantee => (darwin && OPENING.has(operation) ? 'race-free' : 'best-effort'),
    pin(path: string, options: PinOptions = {}): Pin {
      const last = basename(path);
      const canonical =
        options.noFollow === true && last !== '' && last !== '.' && last !== '..'
          ? join(realpathSync.native(dirname(path)), last)
          : realpathSync.native(path);
      const stats = lstatSync(canonical);
      if (options.directory === true && !stats.isDirectory()) throw notADirectory(path);
      return new PortablePin(canonical, stats, openFlags);
    },
  };
}
