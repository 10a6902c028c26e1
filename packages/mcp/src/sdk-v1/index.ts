export { RootwardMcpError } from '../error.js';
export type { McpErrorCode } from '../error.js';
export { ChildRegistry } from '../lifecycle/child-registry.js';
export type { ChildAbout, ChildLike, RunningChild } from '../lifecycle/child-registry.js';
export type { GuardedStdio, GuardedStdioOptions } from '../lifecycle/guarded-stdio.js';
export { ProcessGuard } from '../lifecycle/process-guard.js';
export type { ProcessGuardOptions } from '../lifecycle/process-guard.js';
export { StdioTransport } from '../stdio/transport.js';
export type { CloseReason, StdioTransportOptions } from '../stdio/transport.js';
export { WorkspaceResourceTemplate } from './resource-template.js';
export type { WorkspaceTemplateCallbacks } from './resource-template.js';
export { serveWorkspaceStdio } from './serve-workspace-stdio.js';
export { withWorkspace, withWorkspaceTool } from './with-workspace.js';
export type { WorkspaceExtra, WorkspaceToolCallback } from './workspace-callbacks.js';
export type {
  WorkspaceLowLevelServer,
  WorkspaceRegistration,
  WorkspaceRequests,
  WorkspaceServer,
} from './workspace-server.js';
export type { WorkspaceCompletionContext } from '../context/completion-context.js';
export { ERROR_META_KEY, reportError } from '../context/error-report.js';
export type { ErrorReport } from '../context/error-report.js';
export type { WorkingTree } from '../context/placed-view.js';
export { PreparedWorkspace, prepareWorkspace } from '../context/prepared-workspace.js';
export type { RefusalResult, WorkspaceOptions } from '../context/workspace-options.js';
export type { WorkspaceContext } from '../context/workspace-context.js';
