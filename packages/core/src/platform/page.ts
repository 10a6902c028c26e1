/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** Which page to cut, and what its cursors look like. */
export interface PageOptions {
  /** How many items come before this page. */
  readonly start: number;
  readonly size: number;
  /** The cursor of the page that starts at a position. */
  readonly cursorAt: (position: number) => string;
  /** The error for a page with no items left. There were some when its cursor was given out. */
  readonly gone: () => Error;
}

/** One page of a list. Nothing is kept between pages: the list may change in the meantime. */
export function pageOf<Item>(items: readonly Item[], options: PageOptions): Page<Item> {
  const { start, size } = options;
  if (start > 0 && start >= items.length) throw options.gone();
  const end = start + size;
  const page = { items: items.slice(start, end) };
  return end < items.length ? { ...page, nextCursor: options.cursorAt(end) } : page;
}
