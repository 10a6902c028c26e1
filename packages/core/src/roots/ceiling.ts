import type { PathStyle } from '../uri/path-style.js';
import { hostPathStyle } from '../uri/path-style.js';
import { containsPath } from './contains-path.js';
import type { Root } from './root.js';

/**
 * The canonical paths that are left of a root under a ceiling: itself when it lies inside, the ceiling directories it
 * contains when it is wider, none when it lies beside. An empty ceiling leaves nothing.
 *
 * Purely lexical: the root and the ceiling must be canonical already.
 */
export function cutToCeiling(
  root: Pick<Root, 'path' | 'kind'>,
  ceiling: readonly string[],
  style: PathStyle = hostPathStyle,
): readonly string[] {
  if (ceiling.some((directory) => containsPath(directory, root.path, style))) return [root.path];
  if (root.kind === 'file') return [];
  return [...new Set(ceiling.filter((directory) => containsPath(root.path, directory, style)))];
}
