export { RootwardMcpError } from './error.js';
export type { McpErrorCode } from './error.js';
export { ChildRegistry } from './lifecycle/child-registry.js';
export type { ChildAbout, ChildLike, RunningChild } from './lifecycle/child-registry.js';
export type { GuardedStdio, GuardedStdioOptions } from './lifecycle/guarded-stdio.js';
export { ProcessGuard } from './lifecycle/process-guard.js';
export type { ProcessGuardOptions } from './lifecycle/process-guard.js';
export { StdioTransport } from './stdio/transport.js';
export type { CloseReason, StdioTransportOptions } from './stdio/transport.js';
export { createWorkspaceHandler } from './sdk-v2/http/create-workspace-handler.js';
export type { WorkspaceHandler, WorkspaceHandlerOptions } from './sdk-v2/http/create-workspace-handler.js';
export { MemoryStore } from './store/memory-store.js';
export type { PrincipalLimits } from './store/principal-limits.js';
export { Revocations } from './store/revocations.js';
export type { Revocable } from './store/revocations.js';
export type { LogLine, SessionStore } from './store/session-store.js';
export { NeedsInput } from './sdk-v2/needs-input.js';
export { principalOf } from './sdk-v2/principal.js';
export { WorkspaceResourceTemplate } from './sdk-v2/resource-template.js';
export type { WorkspaceTemplateCallbacks } from './sdk-v2/resource-template.js';
export { serveWorkspaceStdio } from './sdk-v2/serve-workspace-stdio.js';
export type { ServeWorkspaceStdioOptions } from './sdk-v2/serve-workspace-stdio.js';
export type { SessionsOptions } from './sdk-v2/http/sessions-options.js';
export { withWorkspace, withWorkspaceTool } from './sdk-v2/with-workspace.js';
export type {
  WorkspaceLowLevelServer,
  WorkspaceRegistration,
  WorkspaceRequests,
  WorkspaceServer,
  WorkspaceServerContext,
  WorkspaceToolCallback,
} from './sdk-v2/workspace-server.js';
export type { WorkspaceCompletionContext } from './context/completion-context.js';
export { ERROR_META_KEY, reportError } from './context/error-report.js';
export type { ErrorReport } from './context/error-report.js';
export type { WorkingTree } from './context/placed-view.js';
export { PreparedWorkspace, prepareWorkspace } from './context/prepared-workspace.js';
export type { SeenCaller, RefusalResult, WorkspaceOptions } from './context/workspace-options.js';
export { ROOTS_INPUT_KEY } from './modern/roots-answer.js';
export type { CallHistory, WorkspaceContext } from './context/workspace-context.js';
export type { OpenHistory } from './context/kept-changes.js';
