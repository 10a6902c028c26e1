import { RootwardError } from '../error.js';
import { readAbsolutePath } from './absolute-path.js';
import { hostPathStyle, type PathStyle } from './path-style.js';
import { printable } from './printable.js';
import { readFileUri } from './read-file-uri.js';

/**
 * The absolute path a file URI names; throws with the reason as `code`.
 *
 * An unencoded `?` or `#` is refused, since only a look at the disk could tell a name from a query. Does not
 * canonicalise and grants nothing.
 */
export function fileUriToPath(uri: string, style: PathStyle = hostPathStyle): string {
  const reading = readFileUri(uri, style);
  if (!reading.ok) throw new RootwardError(reading.reason, reading.message, { path: uri });
  if (reading.ambiguous) {
    throw new RootwardError(
      'ambiguous',
      `Cannot read "${printable(uri)}": it holds an unencoded "?" or "#"`,
      {
        path: uri,
        instruction: 'Write "?" as %3F and "#" as %23 where they are part of a name',
      },
    );
  }
  return reading.path;
}

/**
 * The file URI of an absolute path, encoded so that `fileUriToPath` gives the same path back.
 *
 * @example
 * ```ts
 * import { pathToFileUri } from '@rootward/core';
 *
 * console.log(pathToFileUri('/home/me/50% done')); // file:///home/me/50%25%20done
 * ```
 */
export function pathToFileUri(path: string, style: PathStyle = hostPathStyle): string {
  const reading = readAbsolutePath(path, style);
  if (!reading.ok) {
    throw new RootwardError(reading.reason, `Cannot encode "${printable(path)}": ${reading.state}`, { path });
  }
  const slashed = style === 'windows' ? `/${reading.path.replaceAll('\\', '/')}` : reading.path;
  return `file://${encodeURI(slashed).replaceAll('?', '%3F').replaceAll('#', '%23')}`;
}
