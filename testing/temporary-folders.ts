import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterThisFile } from './clean-up.js';

/** A canonical temporary folder that is gone after the current file. `folder()` makes one inside it. */
export function temporaryFolder(purpose: string) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), `rootward-${purpose}-`)));
  afterThisFile(() => rmSync(top, { recursive: true, force: true }));
  const folder = (name: string): string => {
    const path = join(top, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  return { top, folder };
}

/** Such a folder with the given folders inside, each holding `name.txt` with its own name. */
export function makeFolders<const Names extends readonly string[]>(...names: Names) {
  const { top, folder } = temporaryFolder('folders');
  for (const name of names) writeFileSync(join(folder(name), 'name.txt'), name);
  return {
    top,
    path: (name: Names[number]) => join(top, name),
    uri: (name: Names[number]) => pathToFileURL(join(top, name)).href,
  };
}
