import { accessSync, constants, lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HiddenPath, PlannedLink } from '../plan/plan.js';
import { protectedPlaces } from '@rootward/core';
import type { HostFacts } from '../plan/host-facts.js';
import { runtimeFolders } from './runtimes.js';
import { LINUX_DEVICES, LINUX_SYSTEM, MAC_DEVICES, MAC_SYSTEM } from './system-paths.js';

/** Deeper, secrets of `/etc` are in folders that others may not enter anyway. */
const ETC_DEPTH = 3;
/** Others may read it. */
const OTHERS_READ = 0o004;

/** Looks at this machine once. */
export function readHost(environment: Readonly<Record<string, string | undefined>> = process.env): HostFacts {
  const isMac = process.platform === 'darwin';
  const home = canonicalOr(environment['HOME'] ?? homedir());
  const system: string[] = [];
  const links: PlannedLink[] = [];
  for (const path of isMac ? MAC_SYSTEM : LINUX_SYSTEM) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) continue;
    if (found.isSymbolicLink()) links.push({ path, target: readlinkSync(path) });
    else system.push(path);
  }
  return {
    platform: process.platform,
    home,
    system,
    links,
    devices: (isMac ? MAC_DEVICES : LINUX_DEVICES).filter(exists),
    runtimes: runtimeFolders(environment, home, system),
    credentials: [
      ...protectedPlaces({ environment, home })
        .filter(({ where, protection }) => where === 'at' && protection === 'hidden')
        .flatMap(({ path }) => hidden(path)),
      ...(isMac ? [] : unreadableToOthers('/etc', ETC_DEPTH)),
    ],
    resolver: exists('/etc/resolv.conf') ? [canonicalOr('/etc/resolv.conf')] : [],
  };
}

function hidden(path: string): readonly HiddenPath[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return asHidden(canonicalOr(path), found.isDirectory());
}

/** What this user cannot open need not be hidden: no child has more rights than its user. */
function asHidden(path: string, isFolder: boolean): readonly HiddenPath[] {
  const ways = isFolder ? [constants.R_OK, constants.X_OK] : [constants.R_OK];
  return ways.some((way) => canAccess(path, way))
    ? [{ path, kind: isFolder ? 'directory' : 'file', why: 'credential' }]
    : [];
}

function canAccess(path: string, way: number): boolean {
  try {
    accessSync(path, way);
    return true;
  } catch {
    return false;
  }
}

/** What the system itself keeps from other users is a secret, whatever its name; it matters where the user is root. */
function unreadableToOthers(folder: string, depth: number): readonly HiddenPath[] {
  const found: HiddenPath[] = [];
  for (const entry of entriesOf(folder)) {
    if (entry.isSymbolicLink()) continue;
    const path = join(folder, entry.name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const isFolder = stats.isDirectory();
    if ((stats.mode & OTHERS_READ) === 0) {
      found.push(...asHidden(path, isFolder));
    } else if (isFolder && depth > 1) {
      found.push(...unreadableToOthers(path, depth - 1));
    }
  }
  return found;
}

function entriesOf(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder);
  } catch {
    return [];
  }
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function canonicalOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
