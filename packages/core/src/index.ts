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
export type { CopyOptions } from './scope/copy.js';
export { BROAD_ROOT_DENIES } from './scope/deny.js';
export { globCost } from './scope/glob-cost.js';
export { withDeepGroups } from './scope/glob-groups.js';
export { globMatcher } from './scope/glob-matcher.js';
export type { GlobMatcher } from './scope/glob-matcher.js';
export type { EntryKind, ListEntry, ListOptions } from './scope/list.js';
export type { Location } from './scope/locate.js';
export type { MakeDirectoryOptions, MakeDirectoryResult } from './scope/make-directory.js';
export type { OpenAccess, OpenOptions } from './scope/open.js';
export { systemPlatform } from './scope/platform.js';
export { portablePlatform } from './scope/pin-portable.js';
export type { Guarantee, Operation, Pin, PinOptions, Platform } from './scope/pin.js';
export type { BytesReading, ReadBytesOptions } from './scope/read-bytes.js';
export { DEFAULT_MAX_BYTES } from './scope/read-text.js';
export type { ReadTextOptions, TextReading } from './scope/read-text.js';
export type { RemoveOptions } from './scope/remove.js';
export type { RenameOptions } from './scope/rename.js';
export type { ScopeRules } from './scope/rules.js';
export { WORKSPACE_RULES_FILE } from './scope/rules.js';
export { Scope } from './scope/scope.js';
export type { ScopeOptions } from './scope/scope.js';
export type { EntryStats } from './scope/stat.js';
export { TemporaryFiles } from './scope/temporary-files.js';
export type { WalkEntry, WalkOptions } from './scope/walk.js';
export type { WriteMode, WriteOptions, WriteResult } from './scope/write.js';
export { isBroad } from './roots/broad.js';
export { cutToCeiling } from './roots/ceiling.js';
export { containsPath } from './uri/contains-path.js';
export type { PathEntry } from './roots/declaration.js';
export { diffRoots } from './roots/diff-roots.js';
export type { RootsDiff } from './roots/diff-roots.js';
export { MAX_ROOTS, readPathRoots, readRoots } from './roots/read-roots.js';
export type { ReadRootsOptions } from './roots/read-roots.js';
export { rootsDisk } from './roots/roots-disk.js';
export type { RootsDisk } from './roots/roots-disk.js';
export type { Disposable } from './platform/disposable.js';
export type { LogFields, Logger } from './platform/logger.js';
export type { Project } from './project/project.js';
export { canBeProject, projectId, projectOf } from './project/project.js';
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
export type { ConfiguredRoots, Origins, Statement } from './sources/root-source.js';
export type { TraceEntry, Verdict } from './sources/trace.js';
export type { Answer } from './workspace/answer.js';
export type { AskingLimits } from './workspace/asking-state.js';
export type { FailureKind } from './workspace/asking.js';
export type { WaitOptions } from './workspace/asker.js';
export type { ChangeReason, WorkspaceChange } from './workspace/change.js';
export { systemClock } from './platform/clock.js';
export type { Clock, Timer } from './platform/clock.js';
export { createWorkspace } from './workspace/create-workspace.js';
export type { Follower } from './workspace/followers.js';
export type { ChangeListener, ProjectListener } from './workspace/listeners.js';
export { defaultLimits } from './workspace/limits.js';
export type { WorkspaceLimits } from './workspace/limits.js';
export { findMeter, observeWorkspace } from './workspace/observe.js';
export type { MeterLike, MetricsApi } from './workspace/observe.js';
export type { RootsPort } from './workspace/roots-port.js';
export type { Snapshot } from './workspace/snapshot.js';
export type { Stats } from './workspace/stats.js';
export { followWorkingDirectory } from './workspace/working-directory.js';
export type { WorkspaceOptions } from './workspace/workspace-options.js';
export type { WorkspaceView } from './workspace/workspace-view.js';
export { Workspace } from './workspace/workspace.js';
