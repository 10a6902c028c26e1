import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/server';
import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { Workspace } from '@rootward/core';
import { withWorkspace } from '@rootward/mcp';
import type { ChildRegistry, WorkspaceOptions, WorkspaceServer } from '@rootward/mcp';
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

/** Makes the server for each connection (legacy) or request (modern). */
export function createServerFactory(serving: Serving, hooks: ServerHooks): McpServerFactory {
  return ({ era }) => (era === 'modern' ? modernServer(serving, hooks) : legacyServer(serving, hooks));
}

/** All share what is prepared, and with it what was computed for the same list of roots. */
function modernServer(serving: Serving, hooks: ServerHooks): McpServer {
  const server = withWorkspace(newServer(), serving.prepared);
  equip(server, 'modern', serving, hooks);
  return server;
}

/** Has a workspace of its own to listen to. */
function legacyServer(serving: Serving, hooks: ServerHooks): McpServer {
  const plain = newServer();
  let announce: ((workspace: Workspace) => void) | undefined;
  const options: WorkspaceOptions = {
    ...serving.prepared.options,
    sources: serving.sources,
    onWorkspace: (workspace) => {
      announce?.(workspace);
      hooks.onWorkspace?.(workspace);
    },
  };
  const server = withWorkspace(plain, options);
  equip(server, 'legacy', serving, hooks);
  announce = offerSubscriptions(server);
  return server;
}

function newServer(): McpServer {
  return new McpServer(
    { name: 'rootward', title: 'Rootward', version: VERSION },
    { instructions: INSTRUCTIONS },
  );
}

function equip(server: WorkspaceServer, era: Era, serving: Serving, { children }: ServerHooks): void {
  const { settings, log, audit } = serving;
  const session = audit === undefined ? '' : randomUUID();
  registerTools(server, {
    era,
    readOnly: settings.readOnly,
    log,
    children,
    ...(settings.toolsets !== undefined && { toolsets: settings.toolsets }),
    ...(audit !== undefined && { audit: (entry) => audit.record({ session, ...entry }) }),
  });
  registerResources(server);
}
