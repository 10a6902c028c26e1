import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { containsPath, hostPathStyle } from '@rootward/core';
import type { Root } from '@rootward/core';

/** A helper program on PATH: usable, not there, or inside a root, where the workspace could have put anything. */
export type FoundProgram =
  | { readonly state: 'found'; readonly path: string }
  | { readonly state: 'missing' }
  | { readonly state: 'inside-root'; readonly path: string };

const SUFFIXES = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];

/** Looks a program up as a shell would, and refuses the first hit where it lies inside a root. Does NOT run it. */
export function findProgram(name: string, path: string | undefined, roots: readonly Root[]): FoundProgram {
  // A relative entry depends on the directory of the process, which may be the workspace.
  for (const directory of (path ?? '').split(delimiter).filter((each) => isAbsolute(each))) {
    for (const suffix of SUFFIXES) {
      const canonical = executable(join(directory, name + suffix));
      if (canonical === undefined) continue;
      const inside = roots.some((root) => !root.broad && containsPath(root.path, canonical, hostPathStyle));
      return inside ? { state: 'inside-root', path: canonical } : { state: 'found', path: canonical };
    }
  }
  return { state: 'missing' };
}

function executable(path: string): string | undefined {
  try {
    const canonical = realpathSync(path);
    if (!statSync(canonical).isFile()) return undefined;
    accessSync(canonical, constants.X_OK);
    return canonical;
  } catch {
    return undefined;
  }
}
