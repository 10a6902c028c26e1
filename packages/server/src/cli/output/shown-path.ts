import { realpathSync } from 'node:fs';
import { dirname, normalize } from 'node:path';

/**
 * A path as people write it: without `.` and `..`, where that names the same place. Behind a link, `..` leads elsewhere
 * than it seems; such a path stays as it is. For messages only.
 */
export function shownPath(path: string): string {
  const plain = normalize(path);
  return realFolder(path) === realFolder(plain) ? plain : path;
}

function realFolder(path: string): string | undefined {
  try {
    return realpathSync.native(dirname(path));
  } catch {
    return undefined;
  }
}
