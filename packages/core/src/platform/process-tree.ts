import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { SYSTEM_PROGRAM_FOLDERS } from './program-places.js';
import { listProcesses, readProcessStat } from './process-stat.js';

/** What `killTrees` sends: a request to end (SIGTERM), or a signal that always ends the process (SIGKILL). */
export type KillSignal = 'SIGTERM' | 'SIGKILL';

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 where the system does not say. */
  readonly session: number;
  /** Resident memory in kilobytes. */
  readonly resident: number;
}

/**
 * The page size of most Linux systems. Where pages are larger, a displayed figure is too small; nothing else depends on
 * it.
 */
const PAGE_KB = 4;
/** Each round finds one more generation of processes that forked just before they were stopped. */
const MAX_LOOKS = 10;

/**
 * Signals processes, everything descended from them, and the process groups and sessions they lead; returns the processes
 * it found. Does NOT reach a process that has outlived its parent and left the session (where the system does not tell
 * sessions, the group): nothing links it to us.
 */
export function killTrees(pids: readonly number[], signal: KillSignal): readonly number[] {
  if (pids.length === 0) return [];
  if (process.platform === 'win32') {
    for (const pid of pids) killWindowsTree(pid, signal);
    return [];
  }
  const found = freeze(pids);
  for (const pid of found) killProcess(pid, signal);
  if (signal !== 'SIGKILL') for (const pid of found) killProcess(pid, 'SIGCONT');
  return found;
}

/** Kilobytes of resident memory of a process and all that descends from it; undefined where the system does not say. */
export function residentMemory(pid: number): number | undefined {
  if (process.platform === 'win32') return undefined;
  const table = processTable();
  const members = new Set(treeOf(pid, table));
  if (members.size === 0) return undefined;
  return table.reduce((sum, entry) => (members.has(entry.pid) ? sum + entry.resident : sum), 0);
}

/**
 * Stops the trees and returns all their members. A stopped process cannot fork, and a child is seen as long as its
 * parent is there, so none can escape between listing and signalling.
 */
function freeze(pids: readonly number[]): readonly number[] {
  const found = new Set<number>();
  for (let look = 0; look < MAX_LOOKS; look++) {
    const table = processTable();
    const members = table.length === 0 ? pids : pids.flatMap((pid) => treeOf(pid, table));
    const fresh = members.filter((member) => !found.has(member));
    if (fresh.length === 0) break;
    for (const member of fresh) {
      found.add(member);
      killProcess(member, 'SIGSTOP');
    }
  }
  return [...found];
}

function killProcess(pid: number, signal: KillSignal | 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is already gone.
  }
}

/**
 * The members of a tree, the process itself first, found by parent, by process group and by session: a shell with job control
 * gives each job a group of its own. Pure.
 */
export function treeOf(
  pid: number,
  table: readonly Pick<ProcessEntry, 'pid' | 'parent' | 'group' | 'session'>[],
): readonly number[] {
  const members = new Set<number>();
  const leader = table.find((entry) => entry.pid === pid);
  if (leader !== undefined) members.add(pid);
  // A group whose leader's pid is in use by a process of another group is not the group we started.
  const ownsGroup = leader === undefined || leader.group === pid;
  const ownsSession = leader === undefined || leader.session === pid;
  const isOwn = ({ group, session }: Pick<ProcessEntry, 'group' | 'session'>): boolean =>
    (ownsGroup && group === pid) || (ownsSession && session === pid);
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const entry of table) {
      if (members.has(entry.parent) || isOwn(entry)) members.add(entry.pid);
    }
  }
  return [...members];
}

/** Empty where the system does not say. */
function processTable(): readonly ProcessEntry[] {
  return process.platform === 'linux' ? linuxTable() : posixTable();
}

function linuxTable(): readonly ProcessEntry[] {
  return listProcesses().flatMap((pid) => {
    const stat = readProcessStat(pid);
    if (stat === undefined || stat.state === 'Z') return [];
    const { parent, group, session, pages } = stat;
    return [{ pid, parent, group, session, resident: pages * PAGE_KB }];
  });
}

function posixTable(): readonly ProcessEntry[] {
  try {
    const rows = execFileSync('/bin/ps', ['-A', '-o', 'pid=,ppid=,pgid=,rss='], { encoding: 'utf8' });
    return rows
      .split('\n')
      .map((row) => row.trim().split(/\s+/).map(Number))
      .flatMap(([pid, parent, group, resident = 0]) =>
        pid === undefined || parent === undefined || group === undefined
          ? []
          : [{ pid, parent, group, session: 0, resident }],
      );
  } catch {
    return [];
  }
}

function killWindowsTree(pid: number, signal: KillSignal): void {
  // Without /F, only processes with a window react, so no request to end is sent first.
  if (signal === 'SIGTERM') return;
  try {
    execFileSync(join(SYSTEM_PROGRAM_FOLDERS[0] ?? '', 'taskkill.exe'), ['/T', '/F', '/PID', String(pid)], {
      stdio: 'ignore',
    });
  } catch {
    // It is already gone.
  }
}
