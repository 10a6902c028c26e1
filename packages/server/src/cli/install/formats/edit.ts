import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@rootward/core/platform';

/** Where a value sits in a document: the keys that lead to it. */
export type KeyPath = readonly [string, ...string[]];

/** What is written into a document: the value of a member, or one item of a list. */
export interface Insertion {
  readonly path: KeyPath;
  readonly value: unknown;
  /** The value at `path` is a list, and `value` one item of it; this tells our item from others. */
  readonly isItem?: ((item: unknown) => boolean) | undefined;
}

/** The text of a document with something put in or taken out, and the members that had to be made for it. */
export interface Edited {
  readonly text: string;
  /** From the outermost to the innermost. */
  readonly created: readonly KeyPath[];
}

/**
 * Edits one kind of file as text, so that everything else in it keeps its bytes. Both throw a `FormatError` for text
 * that cannot be read, or that has something else where the value belongs.
 */
export interface Format {
  /** Reads a document as data. The text of an empty document reads as `undefined`. */
  parse(text: string): unknown;
  put(text: string, insertion: Insertion): Edited;
  /** `created` names members to take out as well where nothing else is left in them. */
  take(text: string, insertion: Insertion, created: readonly KeyPath[]): string;
}

/** A document that is left alone; the message says why, and is written to follow "Cannot edit FILE: ". */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

export function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document);
}

export function lineBreakOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Whether two documents hold the same data; parsers differ in the classes they make of it. */
export function sameData(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (!isObject(value)) return value;
  return new Map(Object.entries(value).map(([key, held]) => [key, plain(held)]));
}

/** What `document` has to read as once `insertion` is in it. */
export function withInsertion(document: unknown, { path, value, isItem }: Insertion): unknown {
  if (isItem === undefined) return withMember(document, path, () => value);
  return withMember(document, path, (list) => {
    const items: readonly unknown[] = Array.isArray(list) ? list : [];
    const at = items.findIndex(isItem);
    return at === -1 ? [...items, value] : items.with(at, value);
  });
}

function withMember(
  document: unknown,
  [key, ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  if (key === undefined) return change(document);
  const members = isObject(document) ? document : {};
  return { ...members, [key]: withMember(members[key], rest, change) };
}
