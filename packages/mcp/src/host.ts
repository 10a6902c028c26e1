// What a process that serves workspaces needs, without loading an SDK. Not part of the public contract: it may change
// in any release.
export { Callers } from './context/callers.js';
export { ERROR_META_KEY, reportError } from './context/error-report.js';
export type { ErrorReport } from './context/error-report.js';
export { PreparedWorkspace, prepareWorkspace } from './context/prepared-workspace.js';
export { newSession, principalDigest } from './context/kept-changes.js';
export type { OpenHistory } from './context/kept-changes.js';
export type { ConnectionObserver, WorkspaceOptions } from './context/workspace-options.js';
export { BIND_CALLER, BINDING_CLIENTS, NOTED } from './hooks/bind-caller.js';
export { observeConnections } from './hooks/observe-connections.js';
export { callTool, noteTools, serveInWorkspace } from './hooks/tool-caller.js';
export { ChildRegistry } from './lifecycle/child-registry.js';
export type { ChildAbout, RunningChild } from './lifecycle/child-registry.js';
export { endAfterRequest } from './lifecycle/end-after-request.js';
export { LINGER_MS, MAX_LINE_BYTES } from './stdio/transport.js';
export { ProcessGuard } from './lifecycle/process-guard.js';
