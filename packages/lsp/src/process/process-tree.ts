import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export type KillSignal = 'SIGTERM' | 'SIGKILL';

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Resident memory in kilobytes. */
  readonly resident: number;
}

/** A process may fork while its tree is being read; another look catches such latecomers. */
const KILL_ROUNDS = 3;
/** Of every Linux system Node runs on; a wrong value would only misstate a figure shown to people. */
const PAGE_KB = 4;

/**
 * Signals a process, all that descends from it, and the process group it leads. Does NOT reach a process that has both
 * left the group and lost its parent: nothing links it to us any more.
 */
export function killTree(pid: number, signal: KillSignal): void {
  if (process.platform === 'win32') {
    // Without /F only programs with a window would listen.
    if (signal === 'SIGKILL') quietly(() => execFileSync('taskkill', ['/T', '/F', '/PID', String(pid)]));
    return;
  }
  const signalled = new Set<number>();
  for (let round = 0; round < KILL_ROUNDS; round += 1) {
    const members = treeOf(pid, processTable()).filter((member) => !signalled.has(member));
    if (members.length === 0) return;
    for (const member of members) {
      signalled.add(member);
      quietly(() => process.kill(member, signal));
    }
  }
}

/** Kilobytes of resident memory of a process and all that descends from it; undefined where the system does not tell. */
export function residentMemory(pid: number): number | undefined {
  if (process.platform === 'win32') return undefined;
  const table = processTable();
  const members = new Set(treeOf(pid, table));
  if (members.size === 0) return undefined;
  return table.reduce((sum, entry) => (members.has(entry.pid) ? sum + entry.resident : sum), 0);
}

/** The process itself first, then whom parent or process group ties to it. Pure. */
export function treeOf(
  pid: number,
  table: readonly Pick<ProcessEntry, 'pid' | 'parent' | 'group'>[],
): readonly number[] {
  const members = new Set<number>();
  const leader = table.find((entry) => entry.pid === pid);
  if (leader !== undefined) members.add(pid);
  // When the number has gone to a process of another group, that group is none of ours.
  const leads = leader === undefined || leader.group === pid;
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const entry of table) {
      if (members.has(entry.parent) || (leads && entry.group === pid)) members.add(entry.pid);
    }
  }
  return [...members];
}

function processTable(): readonly ProcessEntry[] {
  return process.platform === 'linux' ? linuxTable() : posixTable();
}

function linuxTable(): readonly ProcessEntry[] {
  const table: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      // The command may hold blanks and brackets; the numbers follow the last closing one.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z') continue;
      const [, parent, group] = fields.map(Number);
      table.push({
        pid,
        parent: parent ?? 0,
        group: group ?? 0,
        resident: Number(fields[21] ?? 0) * PAGE_KB,
      });
    } catch {
      // It ended while we were looking.
    }
  }
  return table;
}

function posixTable(): readonly ProcessEntry[] {
  let rows = '';
  quietly(() => {
    rows = execFileSync('/bin/ps', ['-A', '-o', 'pid=,ppid=,pgid=,rss='], { encoding: 'utf8' });
  });
  return rows.split('\n').flatMap((row) => {
    const [pid, parent, group, resident] = row.trim().split(/\s+/).map(Number);
    if (pid === undefined || parent === undefined || group === undefined) return [];
    return [{ pid, parent, group, resident: resident ?? 0 }];
  });
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // Whom we meant is gone already.
  }
}
