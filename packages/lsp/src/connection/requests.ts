import type {
  CallHierarchyIncomingCall,
  CallHierarchyIncomingCallsParams,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  CallHierarchyOutgoingCallsParams,
  CallHierarchyPrepareParams,
  Definition,
  DefinitionLink,
  DefinitionParams,
  DocumentDiagnosticParams,
  DocumentDiagnosticReport,
  DocumentSymbol,
  DocumentSymbolParams,
  Hover,
  HoverParams,
  ImplementationParams,
  InitializeParams,
  InitializeResult,
  Location,
  PrepareRenameParams,
  PrepareRenameResult,
  Range,
  ReferenceParams,
  RenameParams,
  SymbolInformation,
  TypeDefinitionParams,
  TypeHierarchyItem,
  TypeHierarchyPrepareParams,
  TypeHierarchySubtypesParams,
  TypeHierarchySupertypesParams,
  WorkspaceEdit,
  WorkspaceSymbol,
  WorkspaceSymbolParams,
} from 'vscode-languageserver-protocol';

interface AstParams {
  readonly textDocument: { readonly uri: string };
  readonly range: Range;
}

/** A node of a syntax tree, as clangd gives it. */
export interface AstNode {
  readonly kind: string;
  /** As clang prints the node. */
  readonly arcana?: string;
  readonly children?: readonly AstNode[];
}

/** Every request we send: what goes in and what comes back. */
export interface Requests {
  initialize: { params: InitializeParams; result: InitializeResult };
  shutdown: { params: undefined; result: null };
  'textDocument/definition': {
    params: DefinitionParams;
    result: Definition | readonly DefinitionLink[] | null;
  };
  'textDocument/implementation': {
    params: ImplementationParams;
    result: Definition | readonly DefinitionLink[] | null;
  };
  'textDocument/typeDefinition': {
    params: TypeDefinitionParams;
    result: Definition | readonly DefinitionLink[] | null;
  };
  'textDocument/prepareCallHierarchy': {
    params: CallHierarchyPrepareParams;
    result: readonly CallHierarchyItem[] | null;
  };
  'callHierarchy/incomingCalls': {
    params: CallHierarchyIncomingCallsParams;
    result: readonly CallHierarchyIncomingCall[] | null;
  };
  'callHierarchy/outgoingCalls': {
    params: CallHierarchyOutgoingCallsParams;
    result: readonly CallHierarchyOutgoingCall[] | null;
  };
  'textDocument/prepareTypeHierarchy': {
    params: TypeHierarchyPrepareParams;
    result: readonly TypeHierarchyItem[] | null;
  };
  'typeHierarchy/supertypes': {
    params: TypeHierarchySupertypesParams;
    result: readonly TypeHierarchyItem[] | null;
  };
  'typeHierarchy/subtypes': {
    params: TypeHierarchySubtypesParams;
    result: readonly TypeHierarchyItem[] | null;
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
  /** An extension of clangd. */
  'textDocument/ast': { params: AstParams; result: AstNode | null };
  'textDocument/prepareRename': { params: PrepareRenameParams; result: PrepareRenameResult | null };
  'textDocument/rename': { params: RenameParams; result: WorkspaceEdit | null };
}

export type RequestMethod = keyof Requests;
