import { RootwardError } from '@rootward/core';
import * as z from 'zod';

/** The argument of a tool whose results come in pages. A result that has more says what to pass. */
export function cursorArgument(): z.ZodOptional<z.ZodString> {
  return z.string().optional();
}

export function nextCursorField(): z.ZodOptional<z.ZodString> {
  return z.string().optional();
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** How many items came before the page a cursor stands for. Between pages the disk may change; nothing is kept. */
export function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const skipped = /^\d{1,15}$/.test(cursor) ? Number(cursor) : undefined;
  if (skipped !== undefined) return skipped;
  throw new RootwardError('invalid-option', `Cannot continue at cursor ${JSON.stringify(cursor)}`, {
    instruction: 'Pass nextCursor of the page before, or leave it out to start over',
  });
}

export function pageOf<Item>(items: readonly Item[], cursor: string | undefined, size: number): Page<Item> {
  const start = readCursor(cursor);
  const end = start + size;
  const page = { items: items.slice(start, end) };
  return end < items.length ? { ...page, nextCursor: String(end) } : page;
}

/** What a text form says where more follows. */
export function continuation(nextCursor: string | undefined): string {
  return nextCursor === undefined ? '' : `\n[more follows: pass cursor "${nextCursor}"]`;
}
