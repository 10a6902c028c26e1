import type { ServerCapabilities } from 'vscode-languageserver-protocol';
import type { FolderKind } from '../servers/definition.js';

export const FOLDERS_METHOD = 'workspace/didChangeWorkspaceFolders';

/**
 * Whether a server says, in its answer to `initialize`, that it wants to be told of folders. `changeNotifications`
 * counts on its own (one server sends it without `supported`) and may be an identifier; `supported` alone does not.
 */
export function announcesFolders(capabilities: ServerCapabilities): boolean {
  const { changeNotifications } = capabilities.workspace?.workspaceFolders ?? {};
  return (
    changeNotifications === true || (typeof changeNotifications === 'string' && changeNotifications !== '')
  );
}

/** What was measured decides, then what the server says at once, then what it registers later. */
export function decideKind(
  measured: FolderKind | undefined,
  capabilities: ServerCapabilities,
  registered: boolean,
): FolderKind {
  if (measured !== undefined) return measured;
  return announcesFolders(capabilities) || registered ? 'shared' : 'per-root';
}
