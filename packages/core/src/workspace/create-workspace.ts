import type { SourcesOptions } from '../sources/read-sources.js';
import { readSources } from '../sources/read-sources.js';
import type { WorkspaceSetup } from './workspace-setup.js';
import { Workspace } from './workspace.js';

/** Reads the sources and opens a workspace over them. To open several over the same sources, use `readSources`. */
export async function createWorkspace(
  options: SourcesOptions & Omit<WorkspaceSetup, 'sources'>,
): Promise<Workspace> {
  return new Workspace({ ...options, sources: await readSources(options) });
}
