import { projectOf, type Root } from '@rootward/core';
import { fillIn, type Launch } from '../inner/launch.js';
import type { SessionOptions } from './session-options.js';

/** How the server is started for these roots. `startsHere`: it did not start in an empty folder. */
export function launchFor(
  { template, emptyFolder, directory: here }: SessionOptions,
  roots: readonly Root[] | undefined,
  startsHere: boolean,
): Launch {
  const folder = roots?.find(({ kind }) => kind === 'directory');
  if (roots === undefined || roots.length === 0 || folder === undefined) {
    const empty = emptyFolder();
    const paths = roots === undefined || roots.length === 0 ? [empty] : roots.map(({ path }) => path);
    return {
      ...fillIn(template, { directory: empty, roots: paths, project: 'none' }),
      ...(startsHere && { directory: here }),
    };
  }
  return fillIn(template, {
    directory: folder.path,
    roots: roots.map(({ path }) => path),
    project: projectOf(folder).name,
  });
}
