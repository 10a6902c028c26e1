import { closeSync, openSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessStat } from '@rootward/core/platform';

/** More generations than any process has. */
const MAX_ANCESTORS = 1000;
const NAMESPACES = ['pid', 'user'] as const;

/** A file that shows which process a page is: only the page itself can open it in its own process. */
export interface OpenMark extends Disposable {
  readonly pid: number;
}

/** Opens a file with the name of a challenge, until disposed. */
export function openMark(folder: string, challenge: string): OpenMark {
  const path = markPath(folder, challenge);
  const fd = openSync(path, 'wx', 0o600);
  return {
    pid: process.pid,
    [Symbol.dispose]: () => {
      closeSync(fd);
      rmSync(path, { force: true });
    },
  };
}

/**
 * Why a process must not be let in as the operator's page; undefined where nothing speaks against it. It must have the
 * mark open, so that nobody can name a process other than its own, and must not descend from this one. Linux only: other
 * systems do not tell, and the proof of the key alone counts. Does NOT recognise a child that has left its parent and its
 * session, and is in no sandbox.
 */
export function reasonAgainstPage(
  pid: unknown,
  { folder, challenge, children }: { folder: string; challenge: string; children: readonly number[] },
): string | undefined {
  if (process.platform !== 'linux') return undefined;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0)
    return 'it does not name its process';
  if (!hasOpen(pid, markPath(folder, challenge))) return 'it is not the process that it names';
  if (NAMESPACES.some((name) => namespaceOf(pid, name) !== namespaceOf('self', name)))
    return 'it runs in a sandbox or container of its own';
  return descendsFromHere(pid, new Set(children)) ? 'this process started it' : undefined;
}

/** Whether a process, its group or its session was started by this one, however many generations ago. */
function descendsFromHere(pid: number, children: ReadonlySet<number>): boolean {
  let current = pid;
  for (let generation = 0; generation < MAX_ANCESTORS; generation++) {
    if (current === process.pid) return generation > 0;
    if (current <= 1) return false;
    const stat = readProcessStat(current);
    // It has ended meanwhile: nobody can tell any more.
    if (stat === undefined) return true;
    if ([current, stat.group, stat.session].some((each) => children.has(each))) return true;
    current = stat.parent;
  }
  return true;
}

function hasOpen(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((name) => linkOf(join(folder, name)) === path);
  } catch {
    return false;
  }
}

/** Undefined where the system does not tell, which equals nothing. */
function namespaceOf(pid: number | 'self', name: (typeof NAMESPACES)[number]): string | symbol {
  return linkOf(`/proc/${pid}/ns/${name}`) ?? Symbol(name);
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function markPath(folder: string, challenge: string): string {
  return join(folder, `mark-${challenge}`);
}
