import { LocationFilter } from '../../filter/location-filter.js';
import type { ServerInstance } from '../../pool/server-instance.js';
import type { FileEdits } from './read-workspace-edit.js';
import type { CodeContext } from '../../pool/code-context.js';

/**
 * Files that start with a byte order mark, that an edit changes in the first line, and that the server has read itself:
 * some servers count the mark as a character there, and some do not. What they are shown has none.
 */
export async function markedFiles(
  { scope, signal }: CodeContext,
  instance: Pick<ServerInstance, 'hasOpen'>,
  files: readonly FileEdits[],
): Promise<readonly string[]> {
  const filter = new LocationFilter(scope);
  const marked: string[] = [];
  for (const { uri, edits } of files) {
    const path = filter.admit(uri);
    if (path === undefined || instance.hasOpen(path)) continue;
    if (!edits.some(({ range }) => range.start.line === 0)) continue;
    const { bom } = await scope.readText(path, { head: 1, ...(signal !== undefined && { signal }) });
    if (bom) marked.push(path);
  }
  return marked;
}
