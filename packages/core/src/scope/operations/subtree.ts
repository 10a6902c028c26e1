import { childPath } from '../gate/child-path.js';
import type { Entry, Gate } from '../gate/gate.js';
import { unstablePath, type Pin } from '../pin/pin.js';
import { Pacer } from '../../platform/pacing.js';
import { readPinned } from '../pin/read-directory.js';
import { refused } from '../gate/refusal.js';
import type { FoldersSeen, Refusal } from '../gate/rules.js';

/** A folder is held open for every level; deeper trees than this are not made by people. */
const MAX_DEPTH = 512;

type Visit = (directory: Pin, name: string, isDirectory: boolean) => void;

/**
 * Visits what is below a pinned folder, children before their folder. Every folder is pinned through its pinned
 * parent without following links, so nothing outside can be swapped in.
 */
export async function visitBelow(
  gate: Gate,
  directory: Pin,
  pacer: Pacer,
  visit: Visit,
  depth = 0,
): Promise<void> {
  if (depth > MAX_DEPTH) throw Object.assign(new Error('too deep'), { code: 'ENAMETOOLONG' });
  for (const entry of readPinned(directory)) {
    if (pacer.due) await pacer.rest();
    const isDirectory = entry.isDirectory();
    if (isDirectory) {
      const child = gate.pin(directory.child(entry.name), { directory: true, noFollow: true });
      try {
        await visitBelow(gate, child, pacer, visit, depth + 1);
      } finally {
        child.close();
      }
    }
    visit(directory, entry.name, isDirectory);
  }
}

/**
 * Refuses to move a folder when something below it is denied or protected, where it is or where it would end up:
 * a move must neither carry denied files to a place that no rule covers nor plant files where a rule forbids them.
 */
export async function checkMoveBelow(
  gate: Gate,
  action: string,
  asked: string,
  source: Entry,
  target: Entry,
  signal?: AbortSignal,
): Promise<void> {
  const start = source.placement.path;
  const directory = gate.pin(source.child, { directory: true, noFollow: true });
  try {
    const seen: FoldersSeen = new Map();
    const rooted = gate.rules.refuseToLeaveRules(start);
    if (rooted !== undefined) throw refused(action, asked, rooted);
    await visitBelow(gate, directory, new Pacer(signal), (parent, name, isDirectory) => {
      const path = childPath(parent.path, name);
      const moved = target.placement.path + path.slice(start.length);
      const refusal: Refusal | undefined =
        (isDirectory ? gate.rules.refuseToLeaveRules(path) : undefined) ??
        gate.rules.refuseChange(gate.place(action, asked, path), seen) ??
        gate.rules.refuseChange(gate.place(action, asked, moved), seen);
      if (refusal !== undefined) throw refused(action, asked, refusal);
    });
    // This check may have taken so long that another folder has the name now, or one of them has left the roots.
    if (directory.hasMoved() || target.parent.hasMoved()) throw unstablePath();
  } finally {
    directory.close();
  }
}
