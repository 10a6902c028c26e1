export { RootwardError } from './error.js';
export type { ErrorCode, RootwardErrorOptions, ScopeErrorCode } from './error.js';
export type {
  Rejection,
  RejectionReason,
  Root,
  RootAccess,
  RootKind,
  RootList,
  Source,
} from './roots/root.js';
export { fileUriToPath, pathToFileUri } from './uri/file-uri.js';
export { hostPathStyle } from './uri/path-style.js';
export type { PathStyle } from './uri/path-style.js';
export { readFileUri } from './uri/read-file-uri.js';
export type { FileUriReading } from './uri/read-file-uri.js';
export type { CopyOptions } from './scope/operations/copy.js';
export { BROAD_ROOT_DENIES } from './scope/gate/deny.js';
export { globCost } from './scope/glob/cost.js';
export { withDeepGroups } from './scope/glob/groups.js';
export { globMatcher } from './scope/glob/matcher.js';
export type { GlobMatcher } from './scope/glob/matcher.js';
export type { EntryKind, ListEntry, ListOptions } from './scope/operations/list.js';
export type { Location } from './scope/operations/locate.js';
export type { MakeDirectoryOptions, MakeDirectoryResult } from './scope/operations/make-directory.js';
export type { OpenAccess, OpenOptions } from './scope/operations/open.js';
export { systemPlatform } from './scope/pin/system.js';
export type { Guarantee, Operation, Platform } from './scope/pin/pin.js';
export type { BytesReading, ReadBytesOptions } from './scope/operations/read-bytes.js';
export type { ReadTextOptions, TextReading } from './scope/operations/read-text.js';
export type { RemoveOptions } from './scope/operations/remove.js';
export type { RenameOptions } from './scope/operations/rename.js';
export type { ScopeRules } from './scope/gate/rules.js';
export { WORKSPACE_RULES_FILE } from './scope/gate/rules.js';
export { Scope } from './scope/scope.js';
export type { ScopeOptions } from './scope/scope.js';
export type { EntryStats } from './scope/operations/stat.js';
export { TemporaryFiles } from './scope/operations/temporary-files.js';
export type { WalkEntry, WalkOptions } from './scope/operations/walk.js';
export type { WriteMode, WriteOptions, WriteResult } from './scope/operations/write.js';
export { containsPath } from './uri/contains-path.js';
export type { PathEntry } from './roots/declaration.js';
export { diffRoots } from './roots/diff-roots.js';
export type { RootsDiff } from './roots/diff-roots.js';
export { readPathRoots, readRoots } from './roots/read-roots.js';
export type { ReadRootsOptions } from './roots/read-roots.js';
export type { Disposable } from './platform/disposable.js';
export type { LogFields, Logger } from './platform/logger.js';
export type { Project } from './project/project.js';
export { canBeProject, projectOf } from './project/project.js';
export { findNestedRepositories } from './project/nested-repositories.js';
export type { NestedRepositories, NestedRepositoriesOptions } from './project/nested-repositories.js';
export { describeRepository } from './project/repository-facts.js';
export type { RepositoryFacts } from './project/repository-facts.js';
export { isProjectName } from './project/project-name.js';
export { resolveSwitch } from './project/resolve-switch.js';
export type { SwitchTarget } from './project/resolve-switch.js';
export type { ClientDeclaration, ClientInfo, ClientState } from './sources/client-state.js';
export { readSources } from './sources/read-sources.js';
export type { ClientRootsMode, Sources, SourcesOptions } from './sources/read-sources.js';
export type { ConfiguredRoots, Origins, SourceReading } from './sources/root-source.js';
export type { TraceEntry, Verdict } from './snapshot/trace.js';
export type { Answer } from './sources/answer.js';
export type { AskingLimits } from './workspace/asking/asking-state.js';
export type { FailureKind } from './workspace/asking/asking.js';
export type { WaitOptions } from './workspace/asking/asker.js';
export type { ChangeReason, WorkspaceChange } from './workspace/changes/change.js';
export { systemClock } from './platform/clock.js';
export type { Clock, Timer } from './platform/clock.js';
export { createWorkspace } from './workspace/create-workspace.js';
export type { Follower } from './workspace/changes/followers.js';
export type { ChangeListener, ProjectListener } from './workspace/changes/listeners.js';
export { defaultLimits } from './workspace/limits.js';
export type { WorkspaceLimits } from './workspace/limits.js';
export type { RootsPort } from './workspace/asking/roots-port.js';
export { resolveSnapshot } from './snapshot/resolve-snapshot.js';
export type { RequestFacts, ResolveOptions } from './snapshot/resolve-snapshot.js';
export type { Snapshot } from './snapshot/snapshot.js';
export type { Stats } from './workspace/stats.js';
export { followWorkingDirectory } from './workspace/changes/working-directory.js';
export type { WorkspaceSetup } from './workspace/workspace-setup.js';
export { viewSnapshot } from './workspace/workspace-view.js';
export type { CreateScope, WorkspaceView } from './workspace/workspace-view.js';
export { Workspace } from './workspace/workspace.js';
