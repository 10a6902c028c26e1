import { RootwardError } from '../error.js';
import type { Root } from '../roots/root.js';
import { enumerate } from '../sources/root-source.js';
import { containsPath } from '../uri/contains-path.js';
import { hostPathStyle } from '../uri/path-style.js';
import type { Place } from './place-call.js';

type UnclearPlace = Extract<Place, { kind: 'unclear' }>;

/** What a refusal may recommend. */
export interface Advice {
  /** The tool that gives handles for working trees; undefined where the server has none. */
  readonly handleTool?: string | undefined;
  /** Whether to name the command that would make this unnecessary. */
  readonly mentionInstall?: boolean;
}

/**
 * The error for a path that would be resolved against the first root while it is not known which working tree is meant.
 */
export function ambiguousTree(
  { why, trees }: UnclearPlace,
  roots: readonly Root[],
  { handleTool, mentionInstall = false }: Advice = {},
): RootwardError {
  const [primary] = roots;
  const isReachable = (tree: string): boolean =>
    roots.some(({ path }) => containsPath(path, tree, hostPathStyle));
  const advice = [
    `Pass an absolute path, such as one below ${enumerate([primary?.path ?? '', ...trees.filter(isReachable)])}`,
  ];
  if (handleTool !== undefined && why !== 'unconfirmed' && !trees.every(isReachable)) {
    advice.push(
      `for a tree outside the roots, call ${handleTool} with its path and pass the handle as "workspace"`,
    );
  }
  if (mentionInstall) {
    advice.push(
      'a hook of the client makes this unnecessary, which the command "install" of rootward writes; tell the user',
    );
  }
  return new RootwardError(
    'ambiguous-tree',
    `Cannot tell which working tree is meant: ${reason(why, trees)}`,
    {
      instruction: advice.join('; '),
    },
  );
}

function reason(why: UnclearPlace['why'], trees: readonly string[]): string {
  const named = enumerate(trees);
  switch (why) {
    case 'no-signal':
      return `beside the first root, ${named} may be in use by the caller`;
    case 'elsewhere':
      return `the caller works in ${named}, which the roots do not lead to`;
    case 'unconfirmed':
      return `the caller works in ${named}, and the repository does not confirm that worktree`;
    case 'gone':
      return `the caller works in ${named}, which does not exist`;
    case 'out-of-reach':
      return `the caller works in ${named}, which cannot be a root`;
  }
}
