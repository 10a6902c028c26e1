import { readSources, type SourcesOptions } from '../sources/read-sources.js';
import type { WorkspaceSetup } from './workspace-setup.js';
import { Workspace } from './workspace.js';

/**
 * Reads the sources and opens a workspace over them. To open several over the same sources, use `readSources`.
 *
 * @example
 * ```ts
 * import { createWorkspace } from '@rootward/core';
 * import { homedir } from 'node:os';
 *
 * const workspace = await createWorkspace({ environment: process.env, home: homedir(), roots: ['/home/me/app'] });
 * const { text } = await workspace.scope().readText('README.md');
 * console.log(text);
 * workspace.dispose();
 * ```
 */
export async function createWorkspace(
  options: SourcesOptions & Omit<WorkspaceSetup, 'sources'>,
): Promise<Workspace> {
  return new Workspace({ ...options, sources: await readSources(options) });
}
