import { closeSync, fstatSync, type Stats } from 'node:fs';
import { hashDescriptor, hashOf } from './content-hash.js';
import type { Prior } from './recorder.js';

const CONTENT = /^[0-9a-f]{64} /;

/** The version of a file whose whole content is at hand, as `readText()` returns it. The path is canonical. */
export function contentVersion(path: string, bytes: Uint8Array): string {
  return `${hashOf(bytes)} ${path}`;
}

/** The version of a file of which only a part was read. Another content of the same size and time is not noticed. */
export function statsVersion(path: string, { dev, ino, size, mtimeMs }: Stats): string {
  return `${dev}:${ino}:${size}:${mtimeMs} ${path}`;
}

/** A version that is found out when somebody asks for it: hashing costs more than most reads. */
export class Versioned {
  readonly #find: () => string;
  #found: string | undefined;

  constructor(find: () => string) {
    this.#find = find;
  }

  /** Identifies what the file held, for `expected` of a later write. */
  get version(): string {
    return (this.#found ??= this.#find());
  }
}

/** Whether a version is still what is at a path. */
export async function isVersion(version: string, path: string, prior: Prior | undefined): Promise<boolean> {
  if (prior?.stats.isFile() !== true || !version.endsWith(` ${path}`)) return false;
  const fd = prior.open();
  try {
    if (!CONTENT.test(version)) {
      return version === statsVersion(path, fstatSync(fd));
    }
    return version === `${(await hashDescriptor(fd)).hash} ${path}`;
  } finally {
    closeSync(fd);
  }
}
