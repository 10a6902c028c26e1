import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '@rootward/core/platform';

const NEW_FILE = 0o600;

/**
 * Writes a file whole or not at all: a process that is killed leaves the old file, and the next write takes away what
 * the killed one left beside it.
 */
export async function writeWhole(file: string, text: string, mode: number = NEW_FILE): Promise<void> {
  const folder = dirname(file);
  await removeLeftovers(folder, basename(file));
  const temporary = join(
    folder,
    `${prefixOf(basename(file))}${process.pid}-${randomBytes(4).toString('hex')}`,
  );
  const handle = await open(temporary, 'wx', mode);
  try {
    try {
      // The mode given to open is cut by the umask; an existing file keeps its own.
      await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  }
}

function prefixOf(name: string): string {
  return `.${name}.rootward-`;
}

async function removeLeftovers(folder: string, name: string): Promise<void> {
  const prefix = prefixOf(name);
  for (const entry of await readdir(folder)) {
    const pid = entry.startsWith(prefix) ? Number.parseInt(entry.slice(prefix.length), 10) : Number.NaN;
    if (Number.isInteger(pid) && !isAlive(pid)) await unlink(join(folder, entry)).catch(() => undefined);
  }
}

/** Makes the folders above a file. Returns those that were not there, the outermost first. */
export async function makeFoldersFor(file: string): Promise<readonly string[]> {
  const made: string[] = [];
  const make = async (folder: string): Promise<void> => {
    try {
      await mkdir(folder);
      made.push(folder);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EEXIST') return;
      if (code !== 'ENOENT' || dirname(folder) === folder) throw error;
      await make(dirname(folder));
      await mkdir(folder);
      made.push(folder);
    }
  };
  await make(dirname(file));
  return made;
}

/** Removes folders that were made for files, where nothing else came into them; the innermost first. */
export async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toSorted((a, b) => b.length - a.length))
    await rmdir(folder).catch(() => undefined);
}
