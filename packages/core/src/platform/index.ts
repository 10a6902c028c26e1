// Shared by the packages of this repository. Not part of the public contract: it may change in any release.
export { Deferred, unlessAborted, within } from './async.js';
export type { WithinOptions } from './async.js';
export { expandHome } from '../uri/expand-home.js';
export { disposable } from './disposable.js';
export { Emitter } from './emitter.js';
export { errnoOf } from './errno.js';
export {
  describeSkipped,
  findProgram,
  isWorkspaceProgram,
  namedCandidates,
  pathOutside,
  PROGRAM_FOLDERS_VARIABLE,
  programCandidates,
  searchProgram,
} from './find-program.js';
export type { Environment, FindProgramOptions, ProgramSearch, SkippedProgram } from './find-program.js';
export { ProgramPlaces } from './program-places.js';
export { isHomeOrAbove } from './workspace-folders.js';
export { isObject } from './json.js';
export type { JsonObject } from './json.js';
export { LineSplitter } from './line-splitter.js';
export { silentLogger } from './logger.js';
export { nearestMatch, suggest } from './nearest-match.js';
export { nextTurn, Pacer } from './pacing.js';
export { pageOf } from './page.js';
export type { Page, PageOptions } from './page.js';
export { isAlive, isRunning, thisProcess } from './process-identity.js';
export type { ProcessIdentity } from './process-identity.js';
export { lockDirectory, ProcessLocks } from './process-locks.js';
export { listProcesses, readProcessStat } from './process-stat.js';
export type { ProcessStat } from './process-stat.js';
export { stateDirectory } from './state-directory.js';
export { killTrees, residentMemory } from './process-tree.js';
export type { KillSignal } from './process-tree.js';
export { CLIENT_FILES, CLIENT_IDS, clientFolders, folderOf, opencodeFolder } from '../protected/clients.js';
export type { ClientFiles, ClientFolders, ClientId } from '../protected/clients.js';
export { runtimeFolder, userDirectory } from '../protected/kept.js';
export { operatorPlaces } from '../protected/operator.js';
export type { OperatorFiles } from '../protected/operator.js';
export { isSteering, steeringReason } from '../protected/register.js';
export { STEERING_PLACES } from '../protected/steering.js';
