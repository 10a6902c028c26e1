import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  lutimesSync,
  read,
  renameSync,
  unlinkSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { errnoOf } from '../../platform/errno.js';
import { copyDescriptor } from './copy-descriptor.js';
import { hashDescriptor, hashOf, readSmall, type Content } from '../../scope/recording/content-hash.js';
import type { PrivateDirectory } from './private-directory.js';
import { createPrivate, openToRead, usingDescriptor, writeWhole } from './private-file.js';

const readAsync = promisify(read);

/** Up to this size one blocking read from the page cache beats a trip through the thread pool. */
const SMALL = 64 * 1024;
const CHUNK = 1024 * 1024;
const PRIVATE_MODE = 0o600;
/** The ending of a content that was compressed later. */
export const COMPRESSED = '.z';
/** How the name of a half-written content starts; a killed process leaves it behind. */
export const HALF_WRITTEN = 'tmp-';
const NO_CLONES: ReadonlySet<string | undefined> = new Set([
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EXDEV',
  'EINVAL',
]);

/** Contents by their SHA-256, each once, in one flat folder: no folder on the way could be swapped for a link. */
export class ContentStore {
  readonly #directory: PrivateDirectory;
  #clones = true;
  /** Bytes added since the last look, to decide when to clean up. */
  added = 0;

  constructor(directory: PrivateDirectory) {
    this.#directory = directory;
  }

  /** Keeps what an opened file of this size holds. `name` leads to the same file, for a cheap clone. */
  async keep(fd: number, size: number, name: string | undefined): Promise<Content> {
    if (size <= SMALL) {
      const bytes = readSmall(fd, size);
      return { hash: this.put(bytes), size: bytes.length };
    }
    return this.#keepLarge(fd, name);
  }

  /** Keeps bytes that are already in memory. */
  put(bytes: Uint8Array): string {
    const hash = hashOf(bytes);
    if (this.#create(hash, bytes) || this.#touch(hash, bytes.length)) return hash;
    const temporary = this.#temporary();
    try {
      usingDescriptor(createPrivate(temporary), (fd) => writeWhole(fd, bytes));
      renameSync(temporary, this.#directory.child(hash));
    } catch (error) {
      discard(temporary);
      throw error;
    }
    this.added += bytes.length;
    return hash;
  }

  /** Makes the file if it is missing. One that a killed process left half-written is recognised by its size. */
  #create(hash: string, bytes: Uint8Array): boolean {
    let fd: number;
    try {
      fd = createPrivate(this.#directory.child(hash));
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    }
    try {
      writeWhole(fd, bytes);
    } catch (error) {
      // Not removed: another process may have put the whole of it under the same name meanwhile.
      ftruncateSync(fd, 0);
      throw error;
    } finally {
      closeSync(fd);
    }
    this.added += bytes.length;
    return true;
  }

  has(hash: string): boolean {
    return this.#sizeOf(hash) !== undefined || this.#sizeOf(hash + COMPRESSED) !== undefined;
  }

  /** The content, checked against its name; undefined where it is not kept, or no longer. */
  async read(hash: string): Promise<Buffer | undefined> {
    const plain = await this.#readFile(hash);
    if (plain !== undefined && hashOf(plain) === hash) return plain;
    const bytes = await this.#readCompressed(hash);
    return bytes === undefined || hashOf(bytes) !== hash ? undefined : bytes;
  }

  async #readCompressed(hash: string): Promise<Buffer | undefined> {
    const packed = await this.#readFile(hash + COMPRESSED);
    if (packed === undefined) return undefined;
    const { inflateRawSync } = await import('node:zlib');
    try {
      return inflateRawSync(packed);
    } catch {
      return undefined;
    }
  }

  async #readFile(name: string): Promise<Buffer | undefined> {
    let fd: number;
    try {
      fd = openToRead(this.#directory.child(name));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ELOOP') return undefined;
      throw error;
    }
    try {
      const stats = fstatSync(fd);
      return stats.isFile() ? await readAll(fd, stats.size) : undefined;
    } finally {
      closeSync(fd);
    }
  }

  async #keepLarge(fd: number, name: string | undefined): Promise<Content> {
    const temporary = this.#temporary();
    try {
      const content =
        name !== undefined && this.#clone(name, temporary)
          ? await hashClone(temporary)
          : await copyAndHash(fd, temporary);
      if (this.#touch(content.hash, content.size)) discard(temporary);
      else {
        renameSync(temporary, this.#directory.child(content.hash));
        this.added += content.size;
      }
      return content;
    } catch (error) {
      discard(temporary);
      throw error;
    }
  }

  /** Shares the blocks where the disk can; otherwise false, and not tried again. */
  #clone(name: string, temporary: string): boolean {
    if (!this.#clones) return false;
    try {
      // Made here first, so that it is private and no link: the copy opens what is there.
      closeSync(createPrivate(temporary));
      copyFileSync(name, temporary, constants.COPYFILE_FICLONE_FORCE);
      // The copy took over the mode of the original.
      chmodSync(temporary, PRIVATE_MODE);
      return true;
    } catch (error) {
      discard(temporary);
      if (!NO_CLONES.has(errnoOf(error))) throw error;
      this.#clones = false;
      return false;
    }
  }

  /** Says whether a content is there, and that it is in use again. */
  #touch(hash: string, size: number): boolean {
    for (const name of [hash, hash + COMPRESSED]) {
      const found = this.#sizeOf(name);
      if (found === undefined || (name === hash && found !== size)) continue;
      try {
        const now = new Date();
        lutimesSync(this.#directory.child(name), now, now);
        return true;
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error;
      }
    }
    return false;
  }

  #sizeOf(name: string): number | undefined {
    const stats = lstatSync(this.#directory.child(name), { throwIfNoEntry: false });
    return stats?.isFile() === true ? stats.size : undefined;
  }

  #temporary(): string {
    return this.#directory.child(`${HALF_WRITTEN}${process.pid}-${randomBytes(6).toString('hex')}`);
  }
}

async function readAll(fd: number, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await readAsync(fd, buffer, filled, Math.min(CHUNK, size - filled), filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function hashClone(temporary: string): Promise<Content> {
  const fd = openToRead(temporary);
  try {
    return await hashDescriptor(fd);
  } finally {
    closeSync(fd);
  }
}

async function copyAndHash(fd: number, temporary: string): Promise<Content> {
  const copy = createPrivate(temporary);
  try {
    const hash = createHash('sha256');
    const size = await copyDescriptor(fd, copy, (chunk) => hash.update(chunk));
    return { hash: hash.digest('hex'), size };
  } finally {
    closeSync(copy);
  }
}

function discard(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Never made, or in its place already.
  }
}
