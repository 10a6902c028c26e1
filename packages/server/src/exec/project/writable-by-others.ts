import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TOOLS_FOLDER, type DiscoveredTools } from '../catalogue/discover-tools.js';

const OTHERS_WRITE = 0o002;

/**
 * The folders and executables of a tools project that every user of this machine can change, and so decide what
 * runs with the next call. Does NOT look at groups, which people share on purpose, nor at folders above the project.
 */
export function findWritableByOthers(
  project: string,
  { tools }: Pick<DiscoveredTools, 'tools'>,
): readonly string[] {
  if (process.platform === 'win32') return [];
  const paths = [
    join(project, TOOLS_FOLDER),
    ...tools.flatMap(({ file, metadataFile }) => [dirname(file), file, metadataFile]),
  ];
  return [...new Set(paths)].filter((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats !== undefined && (stats.mode & OTHERS_WRITE) !== 0;
  });
}
