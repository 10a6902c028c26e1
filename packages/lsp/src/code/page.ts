import { RootwardLspError } from '../error.js';

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** How many items came before the page a cursor stands for. Nothing is kept between pages. */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new RootwardLspError('invalid-option', `Cannot continue at cursor ${JSON.stringify(cursor)}`, {
    instruction: 'Pass nextCursor of the page before, or leave it out to start over',
  });
}

export function pageOf<Item>(items: readonly Item[], cursor: string | undefined, size: number): Page<Item> {
  const start = readCursor(cursor);
  const end = start + size;
  const page = { items: items.slice(start, end) };
  return end < items.length ? { ...page, nextCursor: String(end) } : page;
}
