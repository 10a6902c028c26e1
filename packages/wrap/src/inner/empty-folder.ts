import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder to start servers in, made on first use and removed with this process. */
export function emptyFolderOnUse(): () => string {
  let folder: string | undefined;
  return () => {
    if (folder !== undefined) return folder;
    const made = mkdtempSync(join(tmpdir(), 'rootward-wrap-'));
    folder = made;
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    return made;
  };
}
