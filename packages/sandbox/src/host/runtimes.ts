import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { programCandidates } from '@rootward/core/platform';
import { isAtOrBelow } from '../plan/path-order.js';

const PROGRAM_FOLDERS: ReadonlySet<string> = new Set(['bin', 'sbin', 'shims', 'libexec']);
/** One of these beside the programs shows that the folder above is an installation, not just any folder. */
const INSTALLATION_MARKS: readonly string[] = ['lib', 'lib64', 'libexec', 'versions'];
/** Programs of many installations beside other data of the user, credentials among it. */
const SHARED_FOLDERS: readonly string[] = ['', '.local', '.config', '.cache'];

/** All packages that a script of Node may load. */
const PACKAGES = /^.*?\/(?:node_modules|\.pnpm)(?=\/|$)/;

/**
 * Where the interpreters on `PATH` live, outside the folders of the system: each folder itself and, where it belongs to
 * an installation such as `~/.nvm/versions/node/v20`, all of that. Never the home directory or a folder above it.
 */
export function runtimeFolders(
  environment: Readonly<Record<string, string | undefined>>,
  home: string,
  system: readonly string[],
): readonly string[] {
  const programs = [...programCandidates('any', environment), process.execPath];
  const folders = programs.flatMap((program) => installationOf(program, home));
  return [...new Set(folders)].filter(
    (folder) => existsSync(folder) && !system.some((top) => isAtOrBelow(folder, top)),
  );
}

/** The folders that a program needs to find its own parts: its folder, and the installation that one is part of. */
export function installationOf(program: string, home: string): readonly string[] {
  const named = dirname(program);
  return [...new Set([named, dirname(canonicalOr(program)), canonicalOr(named)])].flatMap((folder) => {
    if (isAtOrBelow(home, folder)) return [];
    const packages = PACKAGES.exec(folder)?.[0];
    if (packages !== undefined) return [packages];
    const above = dirname(folder);
    return isInstallation(folder, above, home) ? [above] : [folder];
  });
}

function isInstallation(folder: string, above: string, home: string): boolean {
  if (!PROGRAM_FOLDERS.has(basename(folder))) return false;
  if (isAtOrBelow(home, above) || SHARED_FOLDERS.some((name) => above === join(home, name))) return false;
  return INSTALLATION_MARKS.some((mark) => existsSync(join(above, mark)));
}

function canonicalOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
