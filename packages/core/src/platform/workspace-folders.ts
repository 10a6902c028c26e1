import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, parse, sep } from 'node:path';
import { containsPath } from '../uri/contains-path.js';
import { hostPathStyle } from '../uri/path-style.js';

const MODULES = 'node_modules';
/** The file at the top of a Python virtual environment. */
const VENV_MARKER = 'pyvenv.cfg';

/**
 * Folders that anyone who can write to the workspace can fill: its roots, and folders outside the roots that belong to
 * them.
 */
export class WorkspaceFolders {
  readonly #roots: readonly string[];
  /** Tops of the repositories that roots lie in. */
  readonly #repositories = new Set<string>();
  /** The repository of each folder that was looked at; most roots share the folders above them. */
  readonly #topOf = new Map<string, string | undefined>();

  constructor(roots: readonly { readonly path: string }[]) {
    this.#roots = roots.map(({ path }) => path);
    for (const path of this.#roots) {
      const top = this.#findTop(path);
      if (top !== undefined) this.#repositories.add(top);
    }
  }

  /** Whether a canonical path, of a program or of a folder with programs, is the workspace's own. */
  owns(path: string): boolean {
    return (
      [...this.#roots, ...this.#repositories].some((folder) => contains(folder, path)) ||
      this.#isInModulesAbove(path) ||
      this.#isInVenvAbove(path)
    );
  }

  /** `node_modules` in a folder above a root: work in the workspace installs packages there. */
  #isInModulesAbove(path: string): boolean {
    const parts = path.split(sep);
    return parts.some(
      (part, index) => part === MODULES && this.#isAboveRoot(parts.slice(0, index).join(sep)),
    );
  }

  /** A virtual environment is usually beside the code it is for. One in the home directory belongs to the user. */
  #isInVenvAbove(path: string): boolean {
    for (let folder = path; folder !== dirname(folder); folder = dirname(folder)) {
      const above = dirname(folder);
      if (this.#isAboveRoot(above)) return !isHomeOrAbove(above) && existsSync(join(folder, VENV_MARKER));
    }
    return false;
  }

  #isAboveRoot(folder: string): boolean {
    return this.#roots.some((root) => contains(folder === '' ? parse(root).root : folder, root));
  }

  /**
   * The top of the repository, found by its `.git`, which may be any kind of entry. A home directory under version
   * control does not count.
   */
  #findTop(folder: string): string | undefined {
    const known = this.#topOf.get(folder);
    if (known !== undefined || this.#topOf.has(folder)) return known;
    const above = dirname(folder);
    const top = existsSync(join(folder, '.git'))
      ? folder
      : above === folder
        ? undefined
        : this.#findTop(above);
    const found = top === undefined || isHomeOrAbove(top) ? undefined : top;
    this.#topOf.set(folder, found);
    return found;
  }
}

function contains(folder: string, path: string): boolean {
  return containsPath(folder, path, hostPathStyle);
}

/** Whether a folder contains programs of the user and the system: the home directory and the folders above it do. */
export function isHomeOrAbove(folder: string): boolean {
  return contains(folder, homedir());
}
