import type { Stats } from 'node:fs';
import type { Gate } from '../gate/gate.js';
import { scopeError } from '../gate/refusal.js';

/** What `Scope.stat()` returns. A link is followed, as long as it stays in scope. */
export interface EntryStats {
  readonly kind: 'file' | 'directory';
  readonly size: number;
  /** Permission bits, such as 0o644. */
  readonly mode: number;
  readonly modified: Date;
  readonly accessed: Date;
  readonly created: Date;
}

export function toEntryStats(stats: Stats): EntryStats {
  return {
    kind: stats.isDirectory() ? 'directory' : 'file',
    size: stats.size,
    mode: stats.mode & 0o7777,
    modified: stats.mtime,
    accessed: stats.atime,
    created: stats.birthtime,
  };
}

/** Describes what a path leads to. Says nothing about a target outside the roots, not even that it exists. */
export function statInScope(gate: Gate, asked: string): EntryStats {
  const { pin } = gate.admit('inspect', asked);
  pin.close();
  if (!pin.stats.isFile() && !pin.stats.isDirectory()) {
    throw scopeError('unsupported-type', 'inspect', asked, 'it is not a regular file or folder');
  }
  return toEntryStats(pin.stats);
}
