import { isUtf8 } from 'node:buffer';
import { accessSync, constants, realpath, statSync } from 'node:fs';
import type { RootKind } from './root.js';

/** What reading roots needs of a disk. Everything rejects or throws with a Node error `code`. */
export interface RootsDisk {
  /** The physical path, with links resolved one by one as the kernel does. */
  realpath(path: string): Promise<string>;
  /** What a canonical path is; undefined when it is neither a directory nor a regular file. */
  kind(path: string): RootKind | undefined;
  /** Throws unless this process may read the file, or list and enter the directory. */
  checkReadable(path: string, kind: RootKind): void;
}

/**
 * The real disk. Only `realpath` is asynchronous: it is the call that can hang on a dead mount, and after it the
 * other two find everything in the kernel's caches, where a trip through the thread pool would cost more than they do.
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
  kind(path) {
    const stats = statSync(path);
    if (stats.isDirectory()) return 'directory';
    return stats.isFile() ? 'file' : undefined;
  },
  checkReadable(path, kind) {
    // oxlint-disable-next-line no-bitwise -- access(2) takes a bit mask
    accessSync(path, kind === 'directory' ? constants.R_OK | constants.X_OK : constants.R_OK);
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
