import { Emitter } from '../../platform/emitter.js';
import type { Logger } from '../../platform/logger.js';
import type { Project } from '../../project/project.js';
import type { WorkspaceChange } from './change.js';

/** Told of each change, in order; see `Workspace.onDidChange()`. */
export type ChangeListener = (change: WorkspaceChange) => void;

/** Told of each project that is chosen; see `Workspace.onDidChooseProject()`. */
export type ProjectListener = (project: Project) => void;

/** Listeners of a workspace. One that throws is logged. */
export function loggedEmitter<Event>(log: Logger): Emitter<Event> {
  return new Emitter((error) => {
    // The error may name a path of the client, which must not show above debug.
    log.warn('change listener failed');
    log.debug('change listener failed', { error: String(error) });
  });
}
