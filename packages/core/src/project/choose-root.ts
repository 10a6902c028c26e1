import { basename } from 'node:path';
import type { Root } from '../roots/root.js';

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
  if (choice?.kind === 'name' && choice.epoch === epoch) return undefined;
  const find = (matches: (root: Root) => boolean): Root | undefined =>
    roots.find((root) => root.kind === 'directory' && matches(root) && basename(root.path) !== '');
  return (
    (choice?.kind === 'root' ? find((root) => root.path === choice.path) : undefined) ??
    find((root) => root.source === 'client') ??
    find((root) => root.path === known) ??
    find((root) => root.source !== 'pwd') ??
    find(() => true)
  );
}
