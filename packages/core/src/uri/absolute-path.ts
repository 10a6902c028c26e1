import type { RejectionReason } from '../error.js';
import type { PathStyle } from './path-style.js';

/** A path that can be used as it is, or why it cannot; `state` completes "Cannot …: ". */
export type PathReading =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: RejectionReason; readonly state: string };

const DRIVE_PATH = /^([A-Za-z]):([\\/].*)$/su;
/** Windows opens a device for these, in any folder, letter case and with any ending. */
const DEVICE_NAME = /^(?:CON|PRN|AUX|NUL|(?:COM|LPT)[1-9\u00B9\u00B2\u00B3]|CONIN\$|CONOUT\$) *(?:\.|$)/i;

/**
 * Checks that `path` is absolute and names one thing only.
 *
 * Does not touch the disk, resolve links or dot segments, or say anything about scope.
 */
export function readAbsolutePath(path: string, style: PathStyle): PathReading {
  if (path === '') return refuse('malformed', 'it is empty');
  const unusable = findUnusableCharacter(path);
  if (unusable !== undefined) return refuse('bad-encoding', unusable);
  if (style === 'windows') return readDrivePath(path);
  return path.startsWith('/') ? { ok: true, path } : refuse('not-absolute', 'it is not an absolute path');
}

/** A control character could forge a line where paths are listed; half a surrogate pair changes on its way to the disk. */
export function findUnusableCharacter(text: string): string | undefined {
  if (/\p{Cs}/u.test(text)) return 'it holds half of a surrogate pair';
  if (/\p{Cc}/u.test(text)) return 'it holds a control character';
  return undefined;
}

function readDrivePath(path: string): PathReading {
  if (/^[\\/]{2}/.test(path)) return refuse('remote-authority', 'network and device paths are not local');
  const [, drive, rest] = DRIVE_PATH.exec(path) ?? [];
  if (drive === undefined || rest === undefined) {
    return refuse('not-absolute', 'it does not start with a drive and a separator');
  }
  if (rest.includes(':'))
    return refuse('malformed', 'a colon after the drive names an alternate data stream');
  if (rest.split(/[\\/]/).some(isStrippedByWin32)) {
    return refuse(
      'ambiguous',
      'Windows drops a dot or blank at the end of a name, which names something else',
    );
  }
  if (rest.split(/[\\/]/).some((name) => DEVICE_NAME.test(name))) {
    return refuse('not-a-directory-or-file', 'a name in it is that of a device on Windows');
  }
  return { ok: true, path: `${drive.toUpperCase()}:${rest.replaceAll('/', '\\')}` };
}

function isStrippedByWin32(name: string): boolean {
  return /[. ]$/.test(name) && name !== '.' && name !== '..';
}

function refuse(reason: RejectionReason, state: string): PathReading {
  return { ok: false, reason, state };
}
