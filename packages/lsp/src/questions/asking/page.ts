import { pageOf as cutPage, type Page } from '@rootward/core/platform';
import { RootwardLspError } from '../../error.js';

/** How many items came before the page a cursor stands for. Nothing is kept between pages. */
export function startOf(cursor: string | undefined, count: number): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,9}$/.test(cursor)) throw unusableCursor(cursor, 'it is not from a page before');
  const start = Number(cursor);
  if (start > 0 && start >= count) throw gone(cursor);
  return start;
}

/** The page a cursor stands for. */
export function pageOf<Item>(items: readonly Item[], cursor: string | undefined, size: number): Page<Item> {
  const start = startOf(cursor, items.length);
  return cutPage(items, { start, size, cursorAt: String, gone: () => gone(cursor) });
}

function gone(cursor: string | undefined): RootwardLspError {
  return unusableCursor(cursor, 'what came next is no longer there');
}

function unusableCursor(cursor: string | undefined, state: string): RootwardLspError {
  return new RootwardLspError(
    'invalid-option',
    `Cannot continue at cursor ${JSON.stringify(cursor)}: ${state}`,
    { instruction: 'Pass nextCursor of the page before, or leave it out to start over' },
  );
}
