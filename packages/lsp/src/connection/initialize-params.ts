import type { ClientCapabilities, InitializeParams, WorkspaceFolder } from 'vscode-languageserver-protocol';
import { fileUriToPath } from '@rootward/core';

/**
 * What we can do. Positions are UTF-16, as JavaScript counts. pyright answers questions for diagnostics only where it may
 * register for them; what it sends unasked may be from before it has checked types.
 */
const CAPABILITIES: ClientCapabilities = {
  general: { positionEncodings: ['utf-16'] },
  window: { workDoneProgress: true },
  workspace: {
    applyEdit: false,
    workspaceFolders: true,
    configuration: true,
    didChangeConfiguration: { dynamicRegistration: true },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    symbol: {},
    workspaceEdit: { documentChanges: true },
  },
  textDocument: {
    synchronization: { didSave: false },
    definition: { linkSupport: true },
    references: {},
    implementation: { linkSupport: true },
    typeDefinition: { linkSupport: true },
    callHierarchy: {},
    typeHierarchy: {},
    hover: { contentFormat: ['markdown', 'plaintext'] },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    publishDiagnostics: { versionSupport: true, relatedInformation: false },
    diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
    rename: { prepareSupport: true },
  },
};

/** The first folder is also sent as `rootUri`, because some servers know only that older field. */
export function initializeParams(
  folders: readonly WorkspaceFolder[],
  initializationOptions: unknown,
  { isSandboxed }: { readonly isSandboxed: boolean },
): InitializeParams {
  const first = folders[0];
  return {
    // Servers check whether that process still runs; from inside a sandbox they cannot see it.
    processId: isSandboxed ? null : process.pid,
    clientInfo: { name: 'rootward' },
    rootUri: first?.uri ?? null,
    rootPath: first === undefined ? null : fileUriToPath(first.uri),
    workspaceFolders: [...folders],
    capabilities: CAPABILITIES,
    ...(initializationOptions !== undefined && { initializationOptions }),
  };
}
