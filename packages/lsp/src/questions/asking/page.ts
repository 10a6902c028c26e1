import { RootwardLspError } from '../../error.js';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** How many items came before the page a cursor stands for. Nothing is kept between pages. */
function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw unusableCursor(cursor, 'it is not from a page before');
}

/** Where the page a cursor stands for starts among so many items. There were more when it was given out. */
export function startOf(cursor: string | undefined, count: number): number {
  const start = readCursor(cursor);
  if (start > 0 && start >= count) throw unusableCursor(cursor, 'what came next is no longer there');
  return start;
}

function unusableCursor(cursor: string | undefined, state: string): RootwardLspError {
  return new RootwardLspError(
    'invalid-option',
    `Cannot continue at cursor ${JSON.stringify(cursor)}: ${state}`,
    { instruction: 'Pass nextCursor of the page before, or leave it out to start over' },
  );
}

export function pageOf<Item>(items: readonly Item[], cursor: string | undefined, size: number): Page<Item> {
  const start = startOf(cursor, items.length);
  const end = start + size;
  const page = { items: items.slice(start, end) };
  return end < items.length ? { ...page, nextCursor: String(end) } : page;
}
