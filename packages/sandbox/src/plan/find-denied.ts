import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RootwardSandboxError } from '../error.js';
import type { PlannedRoot } from './make-plan.js';
import type { HiddenPath } from './plan.js';

/** Above this, looking takes longer than most programs run. */
const MAX_ENTRIES = 200_000;

/**
 * The files and folders of the roots that rules deny, as they are now. What appears later is NOT found: rules are fixed
 * when a child starts. Throws rather than leave something out.
 */
export async function findDenied(
  roots: readonly PlannedRoot[],
  isDenied: (path: string) => boolean,
  signal?: AbortSignal,
): Promise<readonly HiddenPath[]> {
  const denied: HiddenPath[] = [];
  const seen = new Set<string>();
  const folders: string[] = [];
  for (const { path, kind } of roots) {
    if (kind === 'directory') folders.push(path);
    else if (isDenied(path)) denied.push({ path, kind: 'file', why: 'rule' });
  }
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    if (seen.has(folder)) continue;
    seen.add(folder);
    for (const entry of await entriesOf(folder)) {
      if (++entries > MAX_ENTRIES) throw tooMany();
      const path = join(folder, entry.name);
      const isFolder = entry.isDirectory();
      if (isDenied(path)) denied.push({ path, kind: isFolder ? 'directory' : 'file', why: 'rule' });
      else if (isFolder) folders.push(path);
    }
  }
  return denied;
}

/** A folder that cannot be read is skipped: the child runs with the same rights. */
async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function tooMany(): RootwardSandboxError {
  return new RootwardSandboxError(
    'too-many-files',
    `Cannot hide denied files: the roots have more than ${MAX_ENTRIES} files and folders`,
    { instruction: 'Open a smaller folder as a root, or remove the deny rules' },
  );
}
