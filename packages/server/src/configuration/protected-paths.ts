import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What steers the fence and must not be changed through it. */
export interface SteeringFiles {
  /** Places of configuration files. One that is not there yet counts: whoever could write it would steer the next start. */
  readonly configuration: readonly string[];
  /** The tools project. */
  readonly project: string | undefined;
  readonly audit: string | undefined;
  /** The folder of the running program. */
  readonly program: string | undefined;
}

/** The folders of a tools project that hold commands and settings. */
const PROJECT_FOLDERS = ['tools', 'config'];

/** The canonical paths to protect: of a link, both the link and what it leads to. */
export function protectedPaths({ configuration, project, audit, program }: SteeringFiles): readonly string[] {
  const paths = [
    ...configuration,
    ...(project === undefined || project === ''
      ? []
      : PROJECT_FOLDERS.map((folder) => join(project, folder))),
    ...(audit === undefined ? [] : [audit, `${audit}.1`, `${audit}.lock`]),
    ...(program === undefined ? [] : [program]),
  ];
  return [...new Set(paths.flatMap((path) => [entryPath(path), canonical(path)]))];
}

/** The entry itself, in its canonical folder. */
function entryPath(path: string): string {
  return join(canonical(dirname(path)), basename(path));
}

/** What does not exist is canonical as far as it exists. */
function canonical(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(canonical(parent), basename(path));
  }
}
