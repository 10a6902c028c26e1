import { homedir, userInfo } from 'node:os';
import { isAbsolute, parse } from 'node:path';
import type { Environment } from '../settings/from-environment.js';

/** Where there is no other place: nobody but the administrator can put anything there. */
const TOP = parse(process.execPath).root;

/**
 * The user's home directory, absolute in any case: a relative one would let anyone who fills the process directory
 * bring a configuration file. Users that the system does not know have none, as in a container.
 */
export function homeDirectory(): string {
  return [homedir, () => userInfo().homedir].map(tried).find(isPlace) ?? TOP;
}

/** What relative paths of the command line are relative to. The folder may be gone; a server serves all the same. */
export function currentDirectory({ PWD }: Environment): string {
  return [tried(() => process.cwd()), PWD].find(isPlace) ?? TOP;
}

function tried(find: () => string): string | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

function isPlace(path: string | undefined): path is string {
  return path !== undefined && isAbsolute(path);
}
