import { foldersAround } from './path-order.js';
import type { SandboxPlan } from './plan.js';

/**
 * The folders between a writable folder and what is protected in it. A child that could rename one of them would take
 * what is protected out of the way, and put something else in its place. Pure.
 */
export function pinnedFolders(
  { paths, hidden, fixed, locked }: Pick<SandboxPlan, 'paths' | 'hidden' | 'fixed' | 'locked'>,
  more: readonly string[] = [],
): readonly string[] {
  const writable = new Set(paths.flatMap(({ path, access }) => (access === 'write' ? path : [])));
  const kept = new Set([
    ...paths.flatMap(({ path, access }) => (access === 'read' ? path : [])),
    ...hidden.map(({ path }) => path),
    ...fixed,
    ...locked,
    ...more,
  ]);
  const pinned = new Set<string>();
  for (const path of kept) {
    const around = foldersAround(path);
    // Nothing can be renamed in one of these, and it has pins of its own.
    if (around.some((folder, index) => kept.has(folder) && !around.slice(0, index).some(isWritable)))
      continue;
    const outermost = around.findLastIndex(isWritable);
    for (const folder of around.slice(0, Math.max(0, outermost))) if (!kept.has(folder)) pinned.add(folder);
  }
  return [...pinned].sort();

  function isWritable(folder: string): boolean {
    return writable.has(folder);
  }
}
