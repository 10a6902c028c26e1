export { RootwardLspError } from './error.js';
export type { LspErrorCode, LspErrorOptions } from './error.js';
export type { CodeContext } from './pool/code-context.js';
export { definition } from './questions/definition.js';
export type { DefinitionRequest, DefinitionResult, FoundDefinition } from './questions/definition.js';
export { diagnostics } from './questions/diagnostics.js';
export type { DiagnosticsRequest, DiagnosticsResult, FoundDiagnostic } from './questions/diagnostics.js';
export { editSymbol } from './questions/edit-symbol.js';
export type { EditSymbolRequest, EditSymbolResult } from './questions/edit-symbol.js';
export type { SymbolAction } from './questions/edits/replace-symbol.js';
export { findSymbol } from './questions/find-symbol.js';
export type { FindSymbolResult } from './questions/find-symbol.js';
export type { SymbolRequest } from './questions/symbols/locate-symbol.js';
export { newProblems } from './questions/new-problems.js';
export type { NewProblems } from './questions/new-problems.js';
export { outline } from './questions/outline.js';
export type { Outline, OutlineRequest, OutlineSymbol } from './questions/outline.js';
export { references } from './questions/references.js';
export type { Reference, ReferencesResult } from './questions/references.js';
export { renameSymbol } from './questions/rename-symbol.js';
export type { RenameRequest, RenameResult } from './questions/rename-symbol.js';
export type { RenamedFile, RenamedLine } from './questions/edits/renamed-files.js';
export type { FoundSymbol } from './questions/search-server.js';
export { symbolRelations } from './questions/symbol-relations.js';
export type {
  RelatedSymbol,
  RelationKind,
  RelationsRequest,
  RelationsResult,
} from './questions/symbol-relations.js';
export { LanguageServers } from './pool/language-servers.js';
export type { FollowedRoots, LanguageServersOptions, SpawnedServer } from './pool/options.js';
export { defaultPoolLimits } from './pool/limits.js';
export type { PoolLimits } from './pool/limits.js';
export { ServerBudget } from './pool/server-budget.js';
export type { ServerSandbox } from './connection/server-sandbox.js';
export type { ServerStatus } from './pool/server-status.js';
export { SharedLanguageServers } from './pool/shared-language-servers.js';
export type { FollowedWorkspace, Lease } from './pool/shared-language-servers.js';
export { recoverEdits } from './questions/edits/apply-edits.js';
export type { Recovery } from './questions/edits/apply-edits.js';
export { EditJournal } from './questions/edits/edit-journal.js';
export type { FolderKind, ServerDefinition } from './servers/definition.js';
export { findServer } from './servers/find-server.js';
export type { FindServerOptions, ServerFinding } from './servers/find-server.js';
export type { SyntaxDeclaration, SyntaxSource } from './pool/syntax-source.js';
export { knownServers } from './servers/known-servers.js';
export { readServerSettings } from './servers/read-settings.js';
