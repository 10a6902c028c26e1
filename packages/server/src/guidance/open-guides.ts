import type { ProjectSession } from './project-session.js';
import type { ProjectSessions } from './project-sessions.js';
import type { GuideSource } from './guide.js';
import type { WorkspaceContext } from '@rootward/mcp';

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
