export { RootwardMcpError } from './error.js';
export type { McpErrorCode } from './error.js';
export { ChildRegistry } from './process/child-registry.js';
export type { ChildLike } from './process/child-registry.js';
export type { GuardedStdio, GuardedStdioOptions } from './process/guarded-stdio.js';
export { ProcessGuard } from './process/process-guard.js';
export type { ProcessGuardOptions } from './process/process-guard.js';
export { StdioTransport } from './stdio/transport.js';
export type { CloseReason, StdioTransportOptions } from './stdio/transport.js';
export { createWorkspaceHandler } from './v2/create-workspace-handler.js';
export type { WorkspaceHandler, WorkspaceHandlerOptions } from './v2/create-workspace-handler.js';
export { principalOf } from './v2/principal.js';
export { WorkspaceResourceTemplate } from './v2/resource-template.js';
export type { WorkspaceTemplateCallbacks } from './v2/resource-template.js';
export { serveWorkspaceStdio } from './v2/serve-workspace-stdio.js';
export type { ServeWorkspaceStdioOptions } from './v2/serve-workspace-stdio.js';
export type { SessionsOptions } from './v2/sessions.js';
export { withWorkspace, withWorkspaceTool } from './v2/with-workspace.js';
export type {
  WorkspaceRegistration,
  WorkspaceServer,
  WorkspaceServerContext,
  WorkspaceToolCallback,
} from './v2/workspace-server.js';
export type { WorkspaceCompletionContext } from './workspace/completion-context.js';
export { ERROR_META_KEY, reportError } from './workspace/error-report.js';
export type { ErrorReport } from './workspace/error-report.js';
export { PreparedWorkspace } from './workspace/prepared-workspace.js';
export { prepareWorkspace } from './v2/prepare-workspace.js';
export type { WorkspaceOptions } from './workspace/prepared-workspace.js';
export { ROOTS_INPUT_KEY } from './workspace/roots-answer.js';
export type { WorkspaceContext } from './workspace/workspace-context.js';
