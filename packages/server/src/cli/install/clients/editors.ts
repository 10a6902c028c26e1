import { headers, type KnownClient } from './known-client.js';

const NO_FOLDERS = 'no reliable folders: pass them as arguments';
const READ_ONLY = 'To only read files, add --read-only';

/** Clients with a graphical interface. */
export const EDITORS: readonly KnownClient[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    gives: NO_FOLDERS,
    advice: READ_ONLY,
    place: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    format: 'json',
    holder: 'mcpServers',
    needsFolders: true,
    remote: {
      place: 'Settings, Connectors',
      note: 'Connectors are reached from the internet, without this token; its configuration file takes servers over stdio only. For a server on this machine, leave out --url.',
    },
    entry: (server) =>
      server.kind === 'stdio' ? { command: server.command, args: server.args } : { url: server.url },
  },
  {
    id: 'vscode',
    name: 'VS Code',
    gives: 'every folder of the window, and says when they change',
    advice: 'If a remote window gives none, name ${workspaceFolder}',
    place: '.vscode/mcp.json',
    format: 'json',
    holder: 'servers',
    entry: (server) =>
      server.kind === 'stdio'
        ? { type: 'stdio', command: server.command, args: server.args }
        : { type: 'http', url: server.url, ...headers(server.token) },
  },
  {
    id: 'cursor',
    name: 'Cursor',
    gives: 'the open folders in WORKSPACE_FOLDER_PATHS',
    advice: 'With several windows open, name the folders in the file of each project',
    place: '.cursor/mcp.json in the project, or ~/.cursor/mcp.json',
    format: 'json',
    holder: 'mcpServers',
    entry: (server) =>
      server.kind === 'stdio'
        ? { command: server.command, args: server.args }
        : { url: server.url, ...headers(server.token) },
  },
  {
    id: 'zed',
    name: 'Zed',
    gives: 'nothing, but starts servers in the folder of the project',
    advice: 'With several folders open, name them',
    place: 'settings.json (zed: open settings)',
    format: 'json',
    holder: 'context_servers',
    entry: (server) =>
      server.kind === 'stdio'
        ? { command: server.command, args: server.args }
        : { url: server.url, ...headers(server.token) },
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    gives: NO_FOLDERS,
    advice: READ_ONLY,
    place: '~/.codeium/windsurf/mcp_config.json',
    format: 'json',
    holder: 'mcpServers',
    needsFolders: true,
    entry: (server) =>
      server.kind === 'stdio'
        ? { command: server.command, args: server.args }
        : { serverUrl: server.url, ...headers(server.token) },
  },
  {
    id: 'cline',
    name: 'Cline',
    gives: 'nothing, but starts servers in the folder of the session',
    advice: READ_ONLY,
    place: 'cline_mcp_settings.json (MCP Servers, Configure)',
    format: 'json',
    holder: 'mcpServers',
    entry: (server) =>
      server.kind === 'stdio'
        ? { command: server.command, args: server.args }
        : { type: 'streamableHttp', url: server.url, ...headers(server.token) },
  },
  {
    id: 'continue',
    name: 'Continue',
    gives: 'nothing, but starts servers in the folder of the session',
    advice: 'With several folders open, name them',
    place: '.continue/mcpServers/rootward.yaml in the project, or in ~',
    format: 'yaml',
    holder: 'mcpServers',
    ownFile: true,
    around: { name: 'rootward', version: '1.0.0', schema: 'v1' },
    entry: (server) =>
      server.kind === 'stdio'
        ? { name: server.name, type: 'stdio', command: server.command, args: server.args }
        : {
            name: server.name,
            type: 'streamable-http',
            url: server.url,
            ...(server.token !== undefined && { requestOptions: headers(server.token) }),
          },
  },
  {
    id: 'jetbrains',
    name: 'JetBrains',
    gives: NO_FOLDERS,
    advice: READ_ONLY,
    place:
      '.junie/mcp/mcp.json (Junie), or Settings, Tools, AI Assistant, Model Context Protocol (MCP), Add, As JSON',
    format: 'json',
    holder: 'mcpServers',
    needsFolders: true,
    entry: (server) =>
      server.kind === 'stdio'
        ? { command: server.command, args: server.args }
        : { url: server.url, ...headers(server.token) },
  },
];
