import { relative, sep } from 'node:path';
import type { Scope } from '@rootward/core';

const CALLABLE: ReadonlySet<string> = new Set(['function', 'method', 'constructor']);
/** Kinds that the name and its place say already. */
const PLAIN: ReadonlySet<string> = new Set(['variable', 'constant', 'property', 'field', 'symbol']);

/**
 * A path as short as it can be and still be passed back to a tool: relative to its root where that leads to the same
 * file, and absolute otherwise, as where two roots have a file of that name.
 */
export function shortPath(scope: Scope, file: string): string {
  try {
    const { path, root } = scope.locate(file);
    const short = relative(root.path, path).split(sep).join('/');
    return short !== '' && scope.locate(short).path === path ? short : file;
  } catch {
    return file;
  }
}

/** A symbol in a few characters: `total()`, `class Cart` or `limit`, with what it is in. */
export function symbolLabel({
  kind,
  name,
  container,
}: {
  readonly kind: string;
  readonly name: string;
  readonly container?: string | undefined;
}): string {
  const full = container === undefined ? name : `${container}.${name}`;
  if (CALLABLE.has(kind)) return full.endsWith(')') ? full : `${full}()`;
  return PLAIN.has(kind) ? full : `${kind} ${full}`;
}

/** The first sentence of an empty answer says why it is empty. */
export function emptyAnswer(nothing: string, notes: readonly string[]): string {
  const [why, ...others] = notes;
  return why === undefined
    ? nothing
    : [`${why}. ${nothing}`, ...others.map((note) => `[${note}]`)].join('\n');
}
