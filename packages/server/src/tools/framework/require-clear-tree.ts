import type { ToolContext } from './tool-context.js';

/**
 * For tools that work in all roots when no path is given: rejects where nobody can tell in which working tree the caller
 * works, as a relative path would.
 */
export async function requireClearTree({ workspace }: ToolContext): Promise<void> {
  await workspace.directory();
}
