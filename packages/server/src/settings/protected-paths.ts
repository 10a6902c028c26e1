import { lstatSync, readlinkSync } from 'node:fs';
import { isAbsolute, join, parse, resolve, sep } from 'node:path';

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

const SEPARATORS = sep === '/' ? '/' : /[\\/]/;
/** Links that lead in a circle end here, as they do for the system. */
const MAX_LINKS = 40;

/** The canonical paths to protect: of one that leads through links, each of them and what it leads to in the end. */
export function protectedPaths({ configuration, project, audit, program }: SteeringFiles): readonly string[] {
  const paths = [
    ...configuration,
    ...(project === undefined || project === ''
      ? []
      : PROJECT_FOLDERS.map((folder) => join(project, folder))),
    ...(audit === undefined ? [] : [audit, `${audit}.1`, `${audit}.lock`]),
    ...(program === undefined ? [] : [program]),
  ];
  return [...new Set(paths.flatMap(followLinks))];
}

/**
 * Every link on the way, in its canonical folder, then where the way ends: whoever could put another folder in the
 * place of a link would change what the next start reads. What does not exist is canonical as far as it exists.
 */
function followLinks(path: string): readonly string[] {
  const links: string[] = [];
  let { current, names } = split(resolve(path));
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const entry = join(current, name);
    const target = links.length < MAX_LINKS ? targetOf(entry) : undefined;
    if (target === undefined) {
      current = entry;
      continue;
    }
    links.push(entry);
    const rest = names;
    // Not normalised: ".." behind a link leads to the parent of what it leads to.
    ({ current, names } = isAbsolute(target) ? split(target) : { current, names: namesOf(target) });
    names.push(...rest);
  }
  return [...links, current];
}

function split(path: string): { current: string; names: string[] } {
  const { root } = parse(path);
  return { current: root, names: namesOf(path.slice(root.length)) };
}

function namesOf(path: string): string[] {
  return path.split(SEPARATORS).filter((name) => name !== '');
}

/** Where a link leads; undefined for everything else. */
function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? readlinkSync(path)
      : undefined;
  } catch {
    return undefined;
  }
}
