import { relative } from 'node:path';
import { RootwardError } from '../../error.js';
import type { Root } from '../../roots/root.js';
import type { Gate, Intent } from '../gate/gate.js';
import type { FoldersSeen } from '../gate/rules.js';
import { outsideRoots } from '../gate/refusal.js';

/** Where a path leads. A reading about one moment: act through the scope, not on `path`. */
export interface Location {
  /** Canonical, also when the last parts do not exist yet. */
  readonly path: string;
  /** The deepest root that contains it. */
  readonly root: Root;
  /** From that root; empty for the root itself. */
  readonly relative: string;
  readonly exists: boolean;
  /** Whether a rule or the root's access forbids changes. */
  readonly writable: boolean;
  /** Whether it may not be changed because it steers the fence, wherever it is. */
  readonly steers: boolean;
}

/** Says where a path leads. Throws if it leads out of scope or a rule denies it. */
export function locateInScope(gate: Gate, asked: string, intent?: Intent): Location {
  const { pin, placement, missing } = gate.resolve('locate', asked, intent);
  pin.close();
  const seen: FoldersSeen = new Map();
  gate.enforce('locate', asked, placement, 'read', seen);
  const [root] = placement.roots;
  if (root === undefined) throw outsideRoots('locate', asked, gate.roots);
  const refusal = gate.rules.refuseChange(placement, seen);
  return {
    path: placement.path,
    root,
    relative: relative(root.path, placement.path),
    exists: missing.length === 0,
    writable: refusal === undefined,
    steers: refusal?.code === 'protected',
  };
}

/** Decides on the name alone: what is there now, and where a link in its place leads, does not matter. */
export function nameContainedInScope(gate: Gate, path: string): boolean {
  try {
    gate.enforce('locate', path, gate.place('locate', path, path), 'read');
    return true;
  } catch (error) {
    if (error instanceof RootwardError) return false;
    throw error;
  }
}

/** Advice only: the answer may be out of date before it is read. Access through the scope decides anew. */
export function containedInScope(gate: Gate, asked: string): boolean {
  try {
    locateInScope(gate, asked);
    return true;
  } catch (error) {
    if (error instanceof RootwardError) return false;
    throw error;
  }
}
