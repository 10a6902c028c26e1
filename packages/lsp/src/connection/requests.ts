import type {
  Definition,
  DefinitionLink,
  DefinitionParams,
  DocumentDiagnosticParams,
  DocumentDiagnosticReport,
  DocumentSymbol,
  DocumentSymbolParams,
  Hover,
  HoverParams,
  InitializeParams,
  InitializeResult,
  Location,
  PrepareRenameParams,
  PrepareRenameResult,
  ReferenceParams,
  RenameParams,
  SymbolInformation,
  WorkspaceEdit,
  WorkspaceSymbol,
  WorkspaceSymbolParams,
} from 'vscode-languageserver-protocol';

/** Every request we send: what goes in and what comes back. */
export interface Requests {
  initialize: { params: InitializeParams; result: InitializeResult };
  shutdown: { params: undefined; result: null };
  'textDocument/definition': {
    params: DefinitionParams;
    result: Definition | readonly DefinitionLink[] | null;
  };
  'textDocument/references': { params: ReferenceParams; result: readonly Location[] | null };
  'textDocument/hover': { params: HoverParams; result: Hover | null };
  'textDocument/documentSymbol': {
    params: DocumentSymbolParams;
    result: readonly DocumentSymbol[] | readonly SymbolInformation[] | null;
  };
  'workspace/symbol': {
    params: WorkspaceSymbolParams;
    result: readonly SymbolInformation[] | readonly WorkspaceSymbol[] | null;
  };
  'textDocument/diagnostic': { params: DocumentDiagnosticParams; result: DocumentDiagnosticReport };
  'textDocument/prepareRename': { params: PrepareRenameParams; result: PrepareRenameResult | null };
  'textDocument/rename': { params: RenameParams; result: WorkspaceEdit | null };
}

export type RequestMethod = keyof Requests;
