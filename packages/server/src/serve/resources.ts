import { ResourceNotFoundError } from '@modelcontextprotocol/server';
import type { ReadResourceResult } from '@modelcontextprotocol/server';
import type { Project, Root, Workspace } from '@rootward/core';
import { RootwardError } from '@rootward/core';
import type { WorkspaceServer } from '@rootward/mcp';

const ROOTS_URI = 'workspace://roots';
const PROJECT_URI = 'workspace://project';
const JSON_TYPE = 'application/json';

/** The workspace for clients that read resources. */
export function registerResources(server: WorkspaceServer): void {
  server.registerResource(
    'roots',
    ROOTS_URI,
    { title: 'Roots', description: 'The folders and files in scope', mimeType: JSON_TYPE },
    async (uri, { workspace }) => json(uri, { roots: (await workspace.scope()).roots.map(describeRoot) }),
  );
  server.registerResource(
    'project',
    PROJECT_URI,
    { title: 'Project', description: 'The project the work is about', mimeType: JSON_TYPE },
    async (uri, { workspace }) => json(uri, { project: await projectOf(() => workspace.project()) }),
  );
}

/** Lets a legacy client subscribe to them. Returns what announces the changes of the connection's workspace. */
export function offerSubscriptions({ server }: WorkspaceServer): (workspace: Workspace) => void {
  const subscribed = new Set<string>();
  server.registerCapabilities({ resources: { subscribe: true } });
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    if (uri !== ROOTS_URI && uri !== PROJECT_URI) throw new ResourceNotFoundError(uri);
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
  const tell = (uri: string): void => {
    // The client may have gone meanwhile.
    if (subscribed.has(uri)) server.sendResourceUpdated({ uri }).catch(() => undefined);
  };
  return (workspace) => {
    workspace.onDidChange(() => {
      tell(ROOTS_URI);
      tell(PROJECT_URI);
    });
    workspace.onDidChooseProject(() => tell(PROJECT_URI));
  };
}

function describeRoot({ uri, path, name, kind, access, source }: Root): Record<string, unknown> {
  return { uri, path, name, kind, access, source };
}

async function projectOf(read: () => Promise<Project>): Promise<Project | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RootwardError && error.code === 'no-project') return null;
    throw error;
  }
}

function json(uri: URL, value: unknown): ReadResourceResult {
  return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(value) }] };
}
