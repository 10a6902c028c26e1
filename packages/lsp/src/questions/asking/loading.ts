import type { ServerInstance } from '../../pool/server-instance.js';

/** The note on an answer that a server gave before it had read all its files. */
export function loadingNotes({
  definition,
  readiness,
}: Pick<ServerInstance, 'definition' | 'readiness'>): readonly string[] {
  if (readiness.hasFailed)
    return [`${definition.name} could not load its workspace, and may know only a part`];
  if (!readiness.isLoading) return [];
  return [`${definition.name} is still reading its files: ask again in a moment for more`];
}
