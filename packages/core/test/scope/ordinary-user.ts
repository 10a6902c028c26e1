import { chmodSync } from 'node:fs';
import type { Tree } from './fixture.js';

const NOBODY = 65534;

/**
 * Runs `use` without root's power to read everything. Only the effective user changes, which decides on opening and
 * listing, but not on `access`.
 */
export async function asOrdinaryUser<T>(tree: Tree, use: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return use();
  chmodSync(tree.base, 0o755);
  process.seteuid?.(NOBODY);
  try {
    return await use();
  } finally {
    process.seteuid?.(0);
  }
}
