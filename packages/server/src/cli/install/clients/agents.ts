import { headers, type KnownClient, type ServerEntry } from './known-client.js';

const ADD_OWN = 'To use folders of your own as well, name them and add --client-roots add';
const WORK_ELSEWHERE = 'To work in other folders as well, name them and add --client-roots add';

/** Clients that run in a terminal. */
export const AGENTS: readonly KnownClient[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    gives: 'its folder and every --add-dir, and says when they change',
    advice: ADD_OWN,
    place: '.mcp.json in the project',
    format: 'json',
    holder: 'mcpServers',
    entry: (server) =>
      server.kind === 'stdio'
        ? { type: 'stdio', command: server.command, args: server.args }
        : { type: 'http', url: server.url, ...headers(server.token) },
  },
  {
    id: 'codex',
    name: 'Codex',
    gives: 'the folder of the session with every call',
    advice: 'To keep every session inside a folder, add --within and that folder',
    place: '~/.codex/config.toml',
    format: 'toml',
    holder: 'mcp_servers',
    entry: (server) =>
      server.kind === 'stdio'
        ? { command: server.command, args: server.args }
        : { url: server.url, ...(server.token !== undefined && { bearer_token_env_var: 'ROOTWARD_TOKEN' }) },
    note: (server) =>
      server.kind === 'http' && server.token !== undefined
        ? `Set ROOTWARD_TOKEN=${server.token} where Codex is started.`
        : undefined,
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    gives: 'all its folders, and says when they change',
    advice: ADD_OWN,
    place: '.gemini/settings.json in the project, or ~/.gemini/settings.json',
    format: 'json',
    holder: 'mcpServers',
    entry: geminiEntry,
  },
  {
    id: 'qwen-code',
    name: 'Qwen Code',
    gives: 'all its folders',
    advice: ADD_OWN,
    place: '.qwen/settings.json in the project, or ~/.qwen/settings.json',
    format: 'json',
    holder: 'mcpServers',
    entry: geminiEntry,
  },
  {
    id: 'opencode',
    name: 'opencode',
    gives: 'the folder it was started in',
    advice: WORK_ELSEWHERE,
    place: 'opencode.json in the project, or ~/.config/opencode/opencode.json',
    format: 'json',
    holder: 'mcp',
    around: { $schema: 'https://opencode.ai/config.json' },
    entry: opencodeEntry,
  },
  {
    id: 'kilo',
    name: 'Kilo',
    gives: 'the folder it was started in',
    advice: WORK_ELSEWHERE,
    place: '.kilo/kilo.jsonc in the project, or ~/.config/kilo/kilo.jsonc',
    format: 'json',
    holder: 'mcp',
    entry: opencodeEntry,
  },
  {
    id: 'goose',
    name: 'Goose',
    gives: 'its working directory, and says when it changes',
    advice: 'To keep it inside a folder wherever it goes, add --within and that folder',
    place: '~/.config/goose/config.yaml',
    format: 'yaml',
    holder: 'extensions',
    entry: (server) => ({
      name: server.name,
      enabled: true,
      timeout: 300,
      ...(server.kind === 'stdio'
        ? { type: 'stdio', cmd: server.command, args: server.args }
        : { type: 'streamable_http', uri: server.url, ...headers(server.token) }),
    }),
  },
  {
    id: 'copilot-cli',
    name: 'Copilot CLI',
    gives: 'nothing, but starts servers in the folder of the session',
    advice: WORK_ELSEWHERE,
    place: '~/.copilot/mcp-config.json, or .github/mcp.json in the project',
    format: 'json',
    holder: 'mcpServers',
    entry: (server) =>
      server.kind === 'stdio'
        ? { type: 'local', command: server.command, args: server.args, tools: ['*'] }
        : { type: 'http', url: server.url, ...headers(server.token), tools: ['*'] },
  },
];

function geminiEntry(server: ServerEntry): Readonly<Record<string, unknown>> {
  return server.kind === 'stdio'
    ? { command: server.command, args: server.args }
    : { httpUrl: server.url, ...headers(server.token) };
}

function opencodeEntry(server: ServerEntry): Readonly<Record<string, unknown>> {
  return server.kind === 'stdio'
    ? { type: 'local', command: [server.command, ...server.args], enabled: true }
    : { type: 'remote', url: server.url, ...headers(server.token), enabled: true };
}
