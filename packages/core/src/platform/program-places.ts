import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, parse } from 'node:path';
import { containsPath } from '../uri/contains-path.js';
import { hostPathStyle } from '../uri/path-style.js';
import { isHomeOrAbove, WorkspaceFolders } from './workspace-folders.js';

/** Folders with programs of the system. Only its administrator puts programs there. */
export const SYSTEM_PROGRAM_FOLDERS: readonly string[] =
  hostPathStyle === 'windows'
    ? [join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32')]
    : [
        '/usr/local/sbin',
        '/usr/local/bin',
        '/usr/sbin',
        '/usr/bin',
        '/sbin',
        '/bin',
        '/run/wrappers/bin',
        '/run/current-system/sw/bin',
        '/nix/var/nix/profiles/default/bin',
        '/snap/bin',
        '/opt/homebrew/bin',
        '/opt/homebrew/sbin',
        '/opt/local/bin',
      ];

/** Trees that links in these folders lead to. */
const SYSTEM_TREES: readonly string[] =
  hostPathStyle === 'windows'
    ? SYSTEM_PROGRAM_FOLDERS
    : ['/usr', '/bin', '/sbin', '/opt', '/nix/store', '/gnu/store', '/run', '/snap', '/var/lib/snapd'];

const MODULES_BIN = /[\\/]node_modules[\\/]\.bin(?:[\\/]|$)/;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;
const SEPARATORS = hostPathStyle === 'windows' ? /[\\/]+/ : /\/+/;
/** As many as Linux follows. */
const MAX_LINKS = 40;
/** In a folder with this bit, each entry belongs to its owner alone. */
const STICKY = 0o1000;

/** Judges places of programs: a program must not come from where the workspace or another user could put it. */
export class ProgramPlaces {
  readonly #workspace: WorkspaceFolders;
  readonly #changeable = new Map<string, boolean>();

  /** `directory`, the one of this process, counts as a root: it may become one. */
  constructor(
    roots: readonly { readonly path: string }[],
    directory: string | undefined = currentDirectory(),
  ) {
    this.#workspace = new WorkspaceFolders(
      directory === undefined || isHomeOrAbove(directory) || isOfSystem(directory)
        ? roots
        : [...roots, { path: directory }],
    );
  }

  /**
   * Says why nothing may run from a path, of a program or of a folder with programs; undefined where it may. Every link on
   * the way is judged, too: whoever can change a link chooses what runs.
   */
  reasonAgainst(path: string): string | undefined {
    if (!isAbsolute(path)) return 'its folder depends on where it is started';
    const places = placesOnTheWay(path);
    if (places === undefined) return 'it cannot be found out where it leads';
    if ([path, ...places].some((place) => MODULES_BIN.test(place))) {
      return 'the packages of a project put programs into node_modules/.bin';
    }
    if (places.some((place) => this.#workspace.owns(place)))
      return 'it belongs to a root, or to the folder this process was started in';
    return places.some((place) => this.#isChangeable(place)) ? 'other users can change it' : undefined;
  }

  #isChangeable(path: string): boolean {
    const known = this.#changeable.get(path);
    if (known !== undefined) return known;
    const found = isChangeableByOthers(path);
    this.#changeable.set(path, found);
    return found;
  }
}

/** Whether a canonical path is where links of the system's folders lead. */
export function isInSystemTree(path: string): boolean {
  return SYSTEM_TREES.some((tree) => containsPath(tree, path, hostPathStyle));
}

/** Whether a process directory is a system folder or lies around one, such as `/usr`. */
function isOfSystem(directory: string): boolean {
  return SYSTEM_PROGRAM_FOLDERS.some(
    (folder) =>
      containsPath(directory, folder, hostPathStyle) || containsPath(folder, directory, hostPathStyle),
  );
}

/** Whether another user could change a path or put something else in its place. Windows does not say. */
function isChangeableByOthers(path: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return false;
  const groups = new Set([process.getgid?.(), ...(process.getgroups?.() ?? [])]);
  // In a user namespace, the administrator's number is another one.
  const administrators = new Set([0, lstatSync('/').uid]);
  // Who can write to a folder can add what is missing in it.
  let isAdded = true;
  for (let place = path; ; place = dirname(place)) {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const { mode, uid, gid } = stats;
    if (uid !== user && !administrators.has(uid)) return true;
    // A link has no mode of its own.
    const isProtected = stats.isSymbolicLink() || (!isAdded && (mode & STICKY) !== 0);
    const byGroup = (mode & GROUP_WRITES) !== 0 && !groups.has(gid) && !administrators.has(uid);
    if (!isProtected && (byGroup || (mode & OTHERS_WRITE) !== 0)) return true;
    if (place === dirname(place)) return false;
    isAdded = false;
  }
}

function currentDirectory(): string | undefined {
  try {
    return realpathSync(process.cwd());
  } catch {
    // It is gone, and nobody can put programs there.
    return undefined;
  }
}

/** The canonical places of all links that a path leads through, and of its end. Undefined where links form a circle. */
function placesOnTheWay(path: string): readonly string[] | undefined {
  const { root } = parse(path);
  const links: string[] = [];
  const rest = path.slice(root.length).split(SEPARATORS);
  let place = root;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(place, part);
    const target = readLink(next);
    if (target === undefined) {
      place = next;
      continue;
    }
    if (links.push(next) > MAX_LINKS) return undefined;
    const { root: top } = parse(target);
    if (top !== '') place = top;
    rest.unshift(...target.slice(top.length).split(SEPARATORS));
  }
  return [...links, place];
}

/** Undefined for anything but a link. */
function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
