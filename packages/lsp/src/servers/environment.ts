import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import { containsPath, hostPathStyle } from '@rootward/core';
import type { Root } from '@rootward/core';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What of ours must not reach another program: tokens, keys, and whatever else may come under our name. */
const OURS = /^ROOTWARD_/i;

/**
 * The environment of a language server: that of this process without our secrets, and without the folders of `PATH`
 * that lie inside a root, since a server starts helpers of its own by name.
 */
export function serverEnvironment(
  environment: Environment,
  roots: readonly Root[],
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || OURS.test(name)) continue;
    const isPath = name.toUpperCase() === 'PATH';
    const kept = isPath ? searchFolders(value, roots).join(delimiter) : value;
    // An empty `PATH` would mean the current directory, which is a root; without any, that of the system holds.
    if (kept !== '' || !isPath) result[name] = kept;
  }
  return { ...result, ...extra };
}

/** The folders of a `PATH` that are outside the roots. Relative ones are dropped: where they lead, a root decides. */
function searchFolders(path: string, roots: readonly Root[]): readonly string[] {
  return path.split(delimiter).filter((folder) => {
    if (!isAbsolute(folder)) return false;
    const canonical = canonicalOr(folder);
    return !isInsideRoot(canonical, roots);
  });
}

/** Whether someone who may write into the workspace decides what this program is. */
export function isInsideRoot(path: string, roots: readonly Root[]): boolean {
  return roots.some((root) => containsPath(root.path, path, hostPathStyle));
}

function canonicalOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
