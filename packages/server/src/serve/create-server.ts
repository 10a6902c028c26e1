import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Workspace } from '@rootward/core';
import { withWorkspace } from '@rootward/mcp';
import type { ChildRegistry, WorkspaceOptions, WorkspaceServer } from '@rootward/mcp';
import { ProjectSessions } from '../project/project-sessions.js';
import { registerGuides } from '../project/register-guides.js';
import { ChangeQueue } from '../tools/change-queue.js';
import { registerTools } from '../tools/register-tools.js';
import type { Era } from '../tools/tool-context.js';
import { VERSION } from '../version.js';
import { INSTRUCTIONS } from './instructions.js';
import { offerSubscriptions, registerResources } from './resources.js';
import type { Serving } from './serving.js';

export interface ServerHooks {
  readonly children: ChildRegistry;
  /** Told of the workspace of each legacy connection. */
  readonly onWorkspace?: (workspace: Workspace) => void;
}

/** What all servers of one process have in common: two of them may change the same file. */
interface Shared extends ServerHooks {
  readonly changes: ChangeQueue;
}

/** Makes the server for each connection (legacy) or request (modern). */
export function createServerFactory(serving: Serving, hooks: ServerHooks): McpServerFactory {
  const shared: Shared = { ...hooks, changes: new ChangeQueue() };
  return ({ era }) => (era === 'modern' ? modernServer(serving, shared) : legacyServer(serving, shared));
}

/** All share what is prepared, and with it what was computed for the same list of roots. */
function modernServer(serving: Serving, shared: Shared): McpServer {
  const server = withWorkspace(newServer(), serving.prepared);
  equip(server, 'modern', serving, shared);
  return server;
}

/** Has a workspace of its own to listen to. */
function legacyServer(serving: Serving, shared: Shared): McpServer {
  const plain = newServer();
  let announce: ((workspace: Workspace) => void) | undefined;
  const options: WorkspaceOptions = {
    ...serving.prepared.options,
    sources: serving.sources,
    onWorkspace: (workspace) => {
      announce?.(workspace);
      shared.onWorkspace?.(workspace);
    },
  };
  const server = withWorkspace(plain, options);
  const tellGuides = equip(server, 'legacy', serving, shared);
  const tellSubscribers = offerSubscriptions(server);
  announce = (workspace) => {
    tellGuides(workspace);
    tellSubscribers(workspace);
  };
  return server;
}

function newServer(): McpServer {
  return new McpServer(
    { name: 'rootward', title: 'Rootward', version: VERSION },
    { instructions: INSTRUCTIONS },
  );
}

/** Returns what wants to know the workspace of the connection. */
function equip(
  server: WorkspaceServer,
  era: Era,
  serving: Serving,
  { children, changes }: Shared,
): (workspace: Workspace) => void {
  const { settings, log, audit, projectSettings } = serving;
  const projects = new ProjectSessions({ era, store: projectSettings });
  const session = audit === undefined ? '' : randomUUID();
  registerTools(server, {
    era,
    readOnly: settings.readOnly,
    log,
    children,
    changes,
    projects,
    ...(settings.toolsets !== undefined && { toolsets: settings.toolsets }),
    ...(audit !== undefined && { audit: (entry) => audit.record({ session, ...entry }) }),
  });
  registerResources(server);
  const hasGuides = settings.toolsets?.includes('project') ?? true;
  return hasGuides ? registerGuides(server, projects) : () => undefined;
}
