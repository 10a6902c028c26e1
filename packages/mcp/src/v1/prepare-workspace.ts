import { PreparedWorkspace } from '../workspace/prepared-workspace.js';
import type { WorkspaceOptions } from '../workspace/prepared-workspace.js';

/** Reads once what all workspaces of a server have in common; for servers that are made per session or request. */
export function prepareWorkspace(options: WorkspaceOptions = {}): PreparedWorkspace {
  return new PreparedWorkspace(options);
}
