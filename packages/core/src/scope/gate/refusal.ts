import { errnoOf } from '../../platform/errno.js';
import { RootwardError, type ErrorCode } from '../../error.js';
import type { Root } from '../../roots/root.js';
import type { Refusal } from './rules.js';

/** People and models read refusals; a longer list of roots does not help them. */
const MAX_ROOTS_SHOWN = 5;
const MAX_PATH_SHOWN = 300;

export function quotePath(path: string): string {
  return JSON.stringify(path.length > MAX_PATH_SHOWN ? `${path.slice(0, MAX_PATH_SHOWN)}…` : path);
}

function describeRoots(roots: readonly Root[]): string {
  const shown = roots.slice(0, MAX_ROOTS_SHOWN).map((root) => root.path);
  const more = roots.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function noRoots(action: string, path: string): RootwardError {
  return new RootwardError(
    'no-roots',
    `Cannot ${action} ${quotePath(path)}: there are no roots, so no path is in scope`,
    {
      path,
      instruction: 'Open a folder in the client, or name one when the server is started',
    },
  );
}

/** `isLink`: the path itself is inside, but a link in it leads out. The message does not say where to. */
export function outsideRoots(
  action: string,
  path: string,
  roots: readonly Root[],
  isLink = false,
): RootwardError {
  const state = isLink ? 'a link in its path leads outside the roots' : 'it is outside the roots';
  return new RootwardError(
    'outside-roots',
    `Cannot ${action} ${quotePath(path)}: ${state} (${describeRoots(roots)})`,
    { path, instruction: 'Use a path inside one of the roots' },
  );
}

/** For a change of a relative path that the root where it starts does not have, but another one. */
export function inOtherRoot(
  action: string,
  path: string,
  { base, own, other }: { readonly base: string; readonly own: string; readonly other: string },
): RootwardError {
  return new RootwardError(
    'ambiguous',
    `Cannot ${action} ${quotePath(path)}: relative paths start at ${quotePath(base)}, which does not have it, and ${quotePath(other)} exists`,
    { path, instruction: `Pass the absolute path: ${quotePath(other)}, or ${quotePath(own)} for a new one` },
  );
}

/** For a relative path of a caller that last saw another first root. */
export function rootGone(gone: string, roots: readonly Root[], instruction: string): RootwardError {
  return new RootwardError(
    'root-gone',
    `Cannot tell what a relative path means: ${quotePath(gone)}, where relative paths started, is no longer a root (${describeRoots(roots)})`,
    { instruction },
  );
}

export function refused(action: string, path: string, refusal: Refusal): RootwardError {
  switch (refusal.code) {
    case 'denied':
      return new RootwardError(
        'denied',
        `Cannot ${action} ${quotePath(path)}: the rule ${JSON.stringify(refusal.pattern)} denies it`,
        {
          path,
          instruction: 'Work with other files; only the operator or the workspace can change its rules',
        },
      );
    case 'hidden':
      return new RootwardError('denied', `Cannot ${action} ${quotePath(path)}: ${refusal.reason}`, {
        path,
        instruction: 'Work with other files; this place is out of reach of every tool',
      });
    case 'revoked':
      return new RootwardError('denied', `Cannot ${action} ${quotePath(path)}: the operator revoked it`, {
        path,
        instruction: 'Work with other files; only the operator can lift this',
      });
    case 'read-only':
      return new RootwardError(
        'read-only',
        `Cannot ${action} ${quotePath(path)}: ${refusal.by === undefined ? 'it is in a read-only root' : `${quotePath(refusal.by)} makes it read-only`}`,
        {
          path,
          instruction: 'Write to a place that is not read-only',
        },
      );
    case 'rules-unreadable':
      return new RootwardError(
        'rules-unreadable',
        `Cannot ${action} ${quotePath(path)}: the rules in ${quotePath(refusal.file)} cannot be read: ${refusal.problem}`,
        { path, instruction: 'Ask the user to correct that file' },
      );
    case 'protected':
      return new RootwardError('protected', `Cannot ${action} ${quotePath(path)}: ${refusal.reason}`, {
        path,
        instruction: 'Ask the user to change this file themselves',
      });
  }
}

const BY_ERRNO: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map([
  ['ENOENT', ['not-found', 'no such file or folder']],
  ['ENOTDIR', ['not-a-directory', 'it, or a part of its path, is not a folder']],
  ['EISDIR', ['not-a-file', 'it is a folder']],
  ['EEXIST', ['already-exists', 'it exists already']],
  ['ENOTEMPTY', ['not-empty', 'the folder is not empty']],
  ['ELOOP', ['link-loop', 'its links lead in a circle']],
  ['ENAMETOOLONG', ['invalid-path', 'the name is too long']],
  ['EILSEQ', ['invalid-path', 'its name on disk is not valid UTF-8']],
  ['ESTALE', ['unstable-path', 'it keeps changing while it is resolved']],
  ['ELOCKED', ['changed-meanwhile', 'another process is still changing it']],
  ['EINVAL', ['invalid-path', 'the system does not accept this path']],
  ['EXDEV', ['cross-device', 'source and target are on different disks']],
  ['EACCES', ['not-permitted', 'the system does not permit it']],
  ['EPERM', ['not-permitted', 'the system does not permit it']],
  ['EROFS', ['not-permitted', 'the disk is read-only']],
  ['EBUSY', ['not-permitted', 'the system is using it']],
  ['ENXIO', ['unsupported-type', 'it is not a regular file or folder']],
]);

/** Turns a system error about a path that is in scope into ours. Names the path as asked, never a resolved one. */
export function fromSystem(action: string, path: string, error: unknown): RootwardError {
  if (error instanceof RootwardError) return error;
  const errno = errnoOf(error);
  const [code, state] = BY_ERRNO.get(errno ?? '') ?? ['io', `the system reported ${errno ?? String(error)}`];
  return new RootwardError(code, `Cannot ${action} ${quotePath(path)}: ${state}`, { path, cause: error });
}

/** For an entry that would be made, moved or removed in a folder that does not exist. */
export function folderMissing(action: string, path: string, cause: unknown): RootwardError {
  return new RootwardError('not-found', `Cannot ${action} ${quotePath(path)}: its folder does not exist`, {
    path,
    cause,
    instruction: 'Create the folder first, or correct the path',
  });
}

/** For a change that was computed from something that is no longer there. */
export function changedMeanwhile(action: string, path: string): RootwardError {
  return new RootwardError(
    'changed-meanwhile',
    `Cannot ${action} ${quotePath(path)}: something else changed it meanwhile; nothing was touched`,
    { path, instruction: 'Read it again, and make the change again' },
  );
}

export function scopeError(code: ErrorCode, action: string, path: string, state: string): RootwardError {
  return new RootwardError(code, `Cannot ${action} ${quotePath(path)}: ${state}`, { path });
}
