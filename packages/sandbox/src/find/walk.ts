import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Found, Wanted } from './found.js';

/** What a git directory has in it, whatever its name is. */
const GIT_PARTS: ReadonlySet<string> = new Set(['head', 'objects', 'refs', 'commondir']);

/** Looks at every folder below one, without our launcher. Does NOT follow links. */
export async function walkFor(
  { endings, maxFolders }: Wanted,
  root: string,
  signal?: AbortSignal,
): Promise<readonly Found[]> {
  const pattern = endingPattern(endings);
  const holder = endingPattern(foldersOf(endings));
  const found: Found[] = [];
  const folders = [root];
  let looked = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    signal?.throwIfAborted();
    const entries = ++looked > maxFolders ? undefined : await entriesOf(folder);
    if (entries === undefined) {
      found.push({ path: folder, kind: 'unseen' });
      continue;
    }
    if (isGitDirectory(entries)) {
      found.push({ path: folder, kind: 'folder' });
      continue;
    }
    for (const entry of entries) {
      const path = join(folder, entry.name);
      const name = relative(root, path);
      if (pattern.test(name) || (entry.isSymbolicLink() && holder.test(name)))
        found.push({ path, kind: kindOf(entry) });
      else if (entry.isDirectory()) folders.push(path);
    }
  }
  return found;
}

/** Finds the folders in the endings, each with those around it. */
function foldersOf(endings: readonly string[]): readonly string[] {
  const folders = endings.flatMap((ending) =>
    ending.split('/').flatMap((_, index, names) => (index === 0 ? [] : names.slice(0, index).join('/'))),
  );
  return [...new Set(folders)];
}

function endingPattern(endings: readonly string[]): RegExp {
  const alternatives = endings.map((ending) =>
    ending
      .replaceAll(/[\\^$.+?()[\]{}|]/g, String.raw`\$&`)
      .replaceAll('*', '[^/]*')
      .replaceAll('/', sep === '/' ? '/' : String.raw`[\\/]`),
  );
  return new RegExp(String.raw`(?:^|[\\/])(?:${alternatives.join('|')})$`, 'is');
}

/** Undefined if a child with the same rights could see more by changing them; a folder that has gone is empty. */
async function entriesOf(folder: string): Promise<readonly Dirent[] | undefined> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined;
  }
}

function isGitDirectory(entries: readonly Dirent[]): boolean {
  const parts = new Set(
    entries.flatMap(({ name }) => (GIT_PARTS.has(name.toLowerCase()) ? name.toLowerCase() : [])),
  );
  return parts.has('head') && (parts.has('commondir') || (parts.has('objects') && parts.has('refs')));
}

function kindOf(entry: Dirent): Found['kind'] {
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'file';
}
