import { basename } from 'node:path';
import { containsPath } from '../uri/contains-path.js';
import { pathToFileUri } from '../uri/file-uri.js';
import { hostPathStyle } from '../uri/path-style.js';
import type { Root, Source } from '../roots/root.js';
import { canBeProject, type ProjectChoice } from './project.js';

export interface ChoiceContext {
  /** Path of the project known so far on this connection. */
  readonly known: string | undefined;
  readonly choice: ProjectChoice | undefined;
  readonly epoch: number;
  /** Sources whose roots were replaced, except where they forbid something. */
  readonly replaced: readonly Source[];
}

/**
 * The root that the work is about, in this order: a root someone switched to, while it exists; the client's first
 * directory; the project known so far, while its root exists; the first directory of another source, with the process
 * directory last. A name without a root counts before all roots until the roots change, since it was chosen when they
 * were known, and after all roots from then on. What remains of replaced roots is the project only if someone switched
 * to it.
 */
export function chooseRoot(
  roots: readonly Root[],
  { known, choice, epoch, replaced }: ChoiceContext,
): Root | undefined {
  if (choice?.kind === 'name' && choice.epoch === epoch) return undefined;
  const find = (matches: (root: Root) => boolean): Root | undefined =>
    roots.find((root) => root.kind === 'directory' && matches(root) && canBeProject(root));
  const findInUse = (matches: (root: Root) => boolean): Root | undefined =>
    find((root) => matches(root) && !replaced.includes(root.source));
  return (
    (choice?.kind === 'root'
      ? (find((root) => root.path === choice.path) ?? folderIn(roots, choice.path))
      : undefined) ??
    findInUse((root) => root.source === 'client') ??
    findInUse((root) => root.path === known) ??
    findInUse((root) => root.source !== 'cwd') ??
    findInUse(() => true)
  );
}

/** A folder inside a root that someone switched to, such as a repository; undefined when no root contains it any more. */
export function folderIn(roots: readonly Root[], path: string): Root | undefined {
  const root = roots.find((one) => one.kind === 'directory' && containsPath(one.path, path, hostPathStyle));
  if (root === undefined) return undefined;
  return { ...root, path, uri: pathToFileUri(path, hostPathStyle), name: basename(path), declared: path };
}
