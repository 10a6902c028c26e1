import type { Root, WorkspaceView } from '@rootward/core';
import type { Callers } from '@rootward/mcp/host';

type Placed = Awaited<ReturnType<Callers['place']>>;
type Origin = Omit<Parameters<Callers['place']>[1], 'tree'>;

/**
 * The roots of the working tree that the caller of a call works in. Fails with `ambiguous-tree` where nobody can tell: a
 * wrapped server works in the first root, whatever it is asked. A promise only where something has to be waited for.
 */
export function placeOf(
  view: WorkspaceView,
  callers: Callers,
  origin: Origin,
): readonly Root[] | Promise<readonly Root[]> {
  const placed = callers.place(view, origin);
  return placed instanceof Promise ? placed.then(rootsOf) : rootsOf(placed);
}

function rootsOf(placed: Placed): readonly Root[] {
  const { roots } = placed.snapshot();
  if (roots.length > 0) placed.directory();
  return roots;
}
