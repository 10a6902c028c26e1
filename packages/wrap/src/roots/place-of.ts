import type { Root, WorkspaceView } from '@rootward/core';
import type { Callers } from '@rootward/mcp/host';

type Origin = Omit<Parameters<Callers['place']>[1], 'came' | 'tree'>;

/**
 * The roots of the working tree that the caller of a call works in. Rejects with `ambiguous-tree` where nobody can tell:
 * a wrapped server works in the first root, whatever it is asked.
 */
export async function placeOf(
  view: WorkspaceView,
  callers: Callers,
  origin: Origin,
): Promise<readonly Root[]> {
  const placed = await callers.place(view, { ...origin, came: callers.arrive() });
  const { roots } = placed.snapshot();
  if (roots.length > 0) placed.directory();
  return roots;
}
