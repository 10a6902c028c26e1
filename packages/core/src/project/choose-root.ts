import { basename } from 'node:path';
import type { Root } from '../roots/root.js';
import { isProjectName } from './project-name.js';

/** What someone switched to: a root, or a mere name, made when the roots were those of `epoch`. */
export type ProjectChoice =
  | { readonly kind: 'root'; readonly path: string }
  | { readonly kind: 'name'; readonly name: string; readonly epoch: number };

export interface ChoiceContext {
  /** Path of the project known so far on this connection. */
  readonly known: string | undefined;
  readonly choice: ProjectChoice | undefined;
  readonly epoch: number;
}

/**
 * The root the work is about. A root someone switched to counts while it remains; then the client's first directory;
 * then the project known so far while its root remains; then the first directory of anyone else, `PWD` last. A mere
 * name counts before all roots until they change, since whoever set it knew them, and after all roots from then on.
 */
export function chooseRoot(
  roots: readonly Root[],
  { known, choice, epoch }: ChoiceContext,
): Root | undefined {
  const directories = roots.filter((root) => root.kind === 'directory' && isProjectName(basename(root.path)));
  if (choice?.kind === 'name' && choice.epoch === epoch) return undefined;
  return (
    (choice?.kind === 'root' ? directories.find((root) => root.path === choice.path) : undefined) ??
    directories.find((root) => root.source === 'client') ??
    directories.find((root) => root.path === known) ??
    directories.find((root) => root.source !== 'pwd') ??
    directories[0]
  );
}
