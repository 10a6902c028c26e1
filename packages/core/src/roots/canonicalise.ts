import { errnoOf } from '../platform/errno.js';
import { posix } from 'node:path';
import { readAbsolutePath } from '../uri/absolute-path.js';
import type { PathStyle } from '../uri/path-style.js';
import type { RejectionReason } from '../error.js';
import type { RootKind } from './root.js';
import type { RootsDisk } from './roots-disk.js';

/** A canonical path and what it is, or why it cannot be a root; `state` completes "Cannot …: ". */
export type CanonicalReading =
  | { readonly ok: true; readonly path: string; readonly kind: RootKind }
  | { readonly ok: false; readonly reason: RejectionReason; readonly state: string };

// Below these the kernel shows its own objects: links to whatever a process has open, devices, settings.
const KERNEL_DIRECTORY = /^\/(?:proc|sys|dev)(?:\/|$)/;

/**
 * Resolves an absolute path physically and checks that it can serve as a root now.
 *
 * The answer is about this moment only. It does not protect a later use of the path: that is what `Scope` is for.
 */
export async function canonicalise(
  path: string,
  style: PathStyle,
  disk: RootsDisk,
): Promise<CanonicalReading> {
  // The declared path is checked, too: `/proc/self/cwd` and `/dev/fd/3` resolve to ordinary paths that nobody named.
  if (isKernelPath(path, style)) return kernelRefusal;
  try {
    const resolved = readAbsolutePath(await disk.realpath(path), style);
    if (!resolved.ok) return { ...resolved, state: `its resolved path cannot be used, ${resolved.state}` };
    if (isKernelPath(resolved.path, style)) return kernelRefusal;
    const kind = disk.inspect(resolved.path);
    if (kind === undefined) {
      return refuse('not-a-directory-or-file', 'it is neither a directory nor a regular file');
    }
    // On some systems, realpath accepts a separator after a file.
    if (kind === 'file' && endsLikeDirectory(path, style))
      return refuse('not-found', 'it is not a directory');
    return { ok: true, path: resolved.path, kind };
  } catch (error) {
    return refuseFailure(error);
  }
}

function isKernelPath(path: string, style: PathStyle): boolean {
  return style === 'posix' && KERNEL_DIRECTORY.test(posix.normalize(path));
}

const kernelRefusal: CanonicalReading = refuse('not-a-directory-or-file', 'it belongs to the kernel');

function endsLikeDirectory(path: string, style: PathStyle): boolean {
  return (style === 'windows' ? /[\\/]\.{0,2}$/ : /\/\.{0,2}$/).test(path);
}

function refuseFailure(error: unknown): CanonicalReading {
  const code = errnoOf(error) ?? String(error);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return refuse('not-found', 'it does not exist');
    case 'ELOOP':
      return refuse('not-found', 'its links lead in a circle');
    case 'ENAMETOOLONG':
      return refuse('not-found', 'it is too long to exist');
    case 'EILSEQ':
      return refuse('bad-encoding', 'it resolves to a name that is not valid UTF-8');
    case 'EACCES':
    case 'EPERM':
      return refuse('not-readable', 'permission denied');
    default:
      return refuse('not-readable', `the disk answered ${code}`);
  }
}

function refuse(reason: RejectionReason, state: string): CanonicalReading {
  return { ok: false, reason, state };
}
