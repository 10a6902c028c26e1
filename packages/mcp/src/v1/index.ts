export { RootwardMcpError } from '../error.js';
export type { McpErrorCode } from '../error.js';
export { ChildRegistry } from '../process/child-registry.js';
export type { ChildLike } from '../process/child-registry.js';
export type { GuardedStdio, GuardedStdioOptions } from '../process/guarded-stdio.js';
export { ProcessGuard } from '../process/process-guard.js';
export type { ProcessGuardOptions } from '../process/process-guard.js';
export { StdioTransport } from '../stdio/transport.js';
export type { CloseReason, StdioTransportOptions } from '../stdio/transport.js';
export { WorkspaceResourceTemplate } from './resource-template.js';
export type { WorkspaceTemplateCallbacks } from './resource-template.js';
export { serveWorkspaceStdio } from './serve-workspace-stdio.js';
export { withWorkspace, withWorkspaceTool } from './with-workspace.js';
export type {
  WorkspaceExtra,
  WorkspaceRegistration,
  WorkspaceServer,
  WorkspaceToolCallback,
} from './workspace-server.js';
export type { WorkspaceCompletionContext } from '../workspace/completion-context.js';
export { ERROR_META_KEY, reportError } from '../workspace/error-report.js';
export type { ErrorReport } from '../workspace/error-report.js';
export { PreparedWorkspace } from '../workspace/prepared-workspace.js';
export { prepareWorkspace } from './prepare-workspace.js';
export type { WorkspaceOptions } from '../workspace/prepared-workspace.js';
export type { WorkspaceContext } from '../workspace/workspace-context.js';
