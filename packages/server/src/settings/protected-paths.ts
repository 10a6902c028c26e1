import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';

/** What steers the fence and must not be changed through it. */
export interface SteeringFiles {
  /** Places of configuration files. One that is not there yet counts: whoever could write it would steer the next start. */
  readonly configuration: readonly string[];
  /** The tools project. */
  readonly project: string | undefined;
  readonly audit: string | undefined;
  /** The folder of the running program. */
  readonly program: string | undefined;
  /** How it was called: most likely a link, such as `node_modules/.bin/rootward`. */
  readonly command?: string | undefined;
}

/** The folders of a tools project that hold commands and settings. */
const PROJECT_FOLDERS = ['tools', 'config'];

/** More links in `tools/` are not looked for: every change is compared with what is protected. */
const MAX_TOOL_LINKS = 200;
/** A tool is a file in `tools/` or in a folder of it; what it uses may be in folders below. */
const MAX_TOOL_DEPTH = 4;

const SEPARATORS = sep === '/' ? '/' : /[\\/]/;
/** Links that lead in a circle end here, as they do for the system. */
const MAX_LINKS = 40;

/** The canonical paths to protect: of one that leads through links, each of them and what it leads to in the end. */
export function protectedPaths(files: SteeringFiles): readonly string[] {
  const { configuration, project, audit, program, command } = files;
  const folders =
    project === undefined || project === '' ? [] : PROJECT_FOLDERS.map((folder) => join(project, folder));
  const paths = [
    ...configuration,
    ...folders,
    ...folders.flatMap((folder) => linksIn(folder, MAX_TOOL_DEPTH)).slice(0, MAX_TOOL_LINKS),
    ...(audit === undefined ? [] : [audit, `${audit}.1`, `${audit}.lock`]),
    ...(program === undefined ? [] : [packageFolder(program)]),
    ...(command === undefined ? [] : [command]),
  ];
  return [...new Set(paths.flatMap(followLinks))];
}

/** The whole package the program belongs to: it also runs what stands beside the program, such as the shell library. */
function packageFolder(program: string): string {
  const above = dirname(program);
  return existsSync(join(above, 'package.json')) ? above : program;
}

/** The links in a folder: what they lead to runs as if it were in the folder, and may lie anywhere. */
function linksIn(folder: string, depth: number): readonly string[] {
  if (depth === 0) return [];
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) return [path];
      return entry.isDirectory() ? linksIn(path, depth - 1) : [];
    });
  } catch {
    return [];
  }
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
