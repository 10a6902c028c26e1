import { errnoOf } from '../platform/errno.js';
import { isUtf8 } from 'node:buffer';
import { accessSync, constants, realpath, statSync } from 'node:fs';
import { sep } from 'node:path';
import type { RootKind } from './root.js';

/** What reading roots needs from the disk. All functions reject or throw with a Node error `code`. */
export interface RootsDisk {
  /** The physical path, with links resolved one by one as the kernel does. */
  realpath(path: string): Promise<string>;
  /**
   * What a canonical path is; undefined when it is neither a directory nor a regular file. Throws unless this process
   * may read the file, or list and enter the directory.
   */
  inspect(path: string): RootKind | undefined;
}

/**
 * The real disk. Only `realpath` is asynchronous: it is the call that can hang on a dead mount, and after it the rest
 * is in the kernel's caches, where a trip through the thread pool would cost more than the call itself.
 */
export const rootsDisk: RootsDisk = {
  async realpath(path) {
    const canonical = await nativeRealpath(path);
    // Bytes that are not UTF-8 arrive as U+FFFD, and the string would then name something else.
    if (canonical.includes('\uFFFD') && !isUtf8(await nativeRealpathBytes(path))) {
      throw Object.assign(new Error('the name is not valid UTF-8'), { code: 'EILSEQ' });
    }
    return canonical;
  },
  inspect(path) {
    try {
      // With a separator at its end, only a directory is accepted, so one call answers both questions.
      // oxlint-disable-next-line no-bitwise -- access(2) takes a bit mask
      accessSync(path.endsWith(sep) ? path : path + sep, constants.R_OK | constants.X_OK);
      return 'directory';
    } catch (error) {
      if (errnoOf(error) !== 'ENOTDIR') throw error;
    }
    if (!statSync(path).isFile()) return undefined;
    accessSync(path, constants.R_OK);
    return 'file';
  },
};

/** `fs.realpath` without `.native` drops `..` lexically first, which is wrong after a link. */
function nativeRealpath(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    realpath.native(path, (error, resolved) => (error ? reject(error) : resolve(resolved)));
  });
}

function nativeRealpathBytes(path: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    realpath.native(path, 'buffer', (error, resolved) => (error ? reject(error) : resolve(resolved)));
  });
}
