import type { Project, Root, Workspace } from '@rootward/core';
import type { WorkspaceContext } from '@rootward/mcp';
import type { BrokenRules } from '../settings/workspace-rules.js';
import type { GuideSource } from './guide.js';
import { findProjectProblems } from './project-problems.js';
import { ProjectSession, type SettingsReader } from './project-session.js';

export interface ProjectSessionsOptions {
  /** On legacy, sessions live as long as the connection; on modern, as long as the request. */
  readonly era: 'legacy' | 'modern';
  /** What users keep about their projects; absent where they keep nothing. */
  readonly store?: SettingsReader | undefined;
}

/**
 * The projects a connection works in. Nothing is asked and nothing is made until a handler wants the project; two
 * connections never see each other's.
 */
export class ProjectSessions {
  readonly #options: ProjectSessionsOptions;
  /** By what they belong to, and gone with it: the connection's workspace, or the context of one request. */
  readonly #owned = new WeakMap<Workspace | WorkspaceContext, Map<string, ProjectSession>>();

  constructor(options: ProjectSessionsOptions) {
    this.#options = options;
  }

  /** The session of the current project; rejects with an instruction when there is none. */
  async current(workspace: WorkspaceContext): Promise<ProjectSession> {
    const project = await workspace.project();
    const sessions = await this.#sessionsOf(workspace);
    return this.#open(sessions, project);
  }

  /** The same for the project known at this moment, without asking anyone. For what must not wait. */
  known(workspace: Workspace): ProjectSession {
    return this.#open(this.#ofConnection(workspace), workspace.project());
  }

  /** Files about these roots that could not be used. */
  problems(roots: readonly Root[]): readonly BrokenRules[] {
    return findProjectProblems(roots, this.#options.store);
  }

  async #sessionsOf(workspace: WorkspaceContext): Promise<Map<string, ProjectSession>> {
    if (this.#options.era === 'legacy') return this.#ofConnection(await workspace.live());
    return this.#owned.get(workspace) ?? this.#own(workspace);
  }

  #ofConnection(workspace: Workspace): Map<string, ProjectSession> {
    const known = this.#owned.get(workspace);
    if (known !== undefined) return known;
    const sessions = this.#own(workspace);
    // Other roots may be other folders of the same name, with other settings: all are opened anew.
    workspace.onDidChange(() => sessions.clear());
    return sessions;
  }

  #own(owner: Workspace | WorkspaceContext): Map<string, ProjectSession> {
    const sessions = new Map<string, ProjectSession>();
    this.#owned.set(owner, sessions);
    return sessions;
  }

  #open(sessions: Map<string, ProjectSession>, project: Project): ProjectSession {
    // A worktree has the id of its repository and a folder of its own.
    const key = JSON.stringify([project.id, project.path]);
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const session = new ProjectSession(project, this.#options.store);
    sessions.set(key, session);
    return session;
  }
}

/** The guidance of the current project as one call sees it. */
export async function openGuides(
  projects: ProjectSessions,
  workspace: WorkspaceContext,
  signal: AbortSignal,
): Promise<{ readonly session: ProjectSession; readonly source: GuideSource }> {
  const session = await projects.current(workspace);
  const scope = await workspace.scope();
  const { categories } = session.settings();
  return { session, source: { scope, directory: session.project.path, categories, signal } };
}
