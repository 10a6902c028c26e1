/** How a client reaches the server. */
export type ClientConnection =
  | { readonly kind: 'stdio'; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string; readonly token: string | undefined };

interface ClientConfiguration {
  /** The file to put it in, or where to type it. */
  readonly place: string;
  readonly text: string;
  readonly note?: string;
}

export interface KnownClient {
  /** What `--client` takes. */
  readonly id: string;
  readonly name: string;
  /** What it tells a server about folders. */
  readonly gives: string;
  /** What to add to the command, and when. */
  readonly advice: string;
  configure(connection: ClientConnection): ClientConfiguration;
}

const NAME = 'rootward';
const COMMAND = 'npx';
const NAMES_FOLDERS = 'This client does not report its folders: pass them as arguments after "rootward".';

function args(connection: { readonly args: readonly string[] }): readonly string[] {
  return ['-y', NAME, ...connection.args];
}

function headers(token: string | undefined): { readonly headers?: Record<string, string> } {
  return token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } };
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}

interface JsonClient {
  readonly place: string;
  /** The member that holds the servers. */
  readonly key: string;
  readonly stdio?: (connection: { readonly args: readonly string[] }) => object;
  readonly http: (connection: { readonly url: string; readonly token: string | undefined }) => object;
  readonly extra?: object;
  /** Folders have to be named for it. */
  readonly givesNothing?: boolean;
}

/** For the many clients whose configuration is a JSON object of servers. */
function jsonClient(client: JsonClient): KnownClient['configure'] {
  const stdio = client.stdio ?? ((connection) => ({ command: COMMAND, args: args(connection) }));
  return (connection) => ({
    place: client.place,
    text: json({
      ...client.extra,
      [client.key]: { [NAME]: connection.kind === 'stdio' ? stdio(connection) : client.http(connection) },
    }),
    ...(client.givesNothing === true &&
      connection.kind === 'stdio' &&
      connection.args.length === 0 && { note: NAMES_FOLDERS }),
  });
}

function quoted(list: readonly string[]): string {
  return list.map((item) => JSON.stringify(item)).join(', ');
}

/** Every client there is a ready configuration for. */
export const KNOWN_CLIENTS: readonly KnownClient[] = [
  {
    id: 'claude-code',
    name: 'Claude Code',
    gives: 'its folder and every --add-dir, and says when they change',
    advice: 'To keep folders of your own beside them, name those and add --client-roots add',
    configure: jsonClient({
      place: '.mcp.json in the project',
      key: 'mcpServers',
      stdio: (connection) => ({ type: 'stdio', command: COMMAND, args: args(connection) }),
      http: ({ url, token }) => ({ type: 'http', url, ...headers(token) }),
    }),
  },
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    gives: 'no reliable folders: pass them as arguments',
    advice: 'Where files are only to be read, add --read-only',
    configure: (connection) =>
      connection.kind === 'stdio'
        ? jsonClient({
            place: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
            key: 'mcpServers',
            http: () => ({}),
            givesNothing: true,
          })(connection)
        : {
            place: 'Settings, Connectors',
            text: connection.url,
            note: 'Connectors are reached from the internet, without this token; its configuration file takes servers over stdio only. For a server on this machine, leave out --url.',
          },
  },
  {
    id: 'vscode',
    name: 'VS Code',
    gives: 'every folder of the window, and says when they change',
    advice: 'Where a remote window gives none, name ${workspaceFolder}',
    configure: jsonClient({
      place: '.vscode/mcp.json',
      key: 'servers',
      stdio: (connection) => ({ type: 'stdio', command: COMMAND, args: args(connection) }),
      http: ({ url, token }) => ({ type: 'http', url, ...headers(token) }),
    }),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    gives: 'the open folders in WORKSPACE_FOLDER_PATHS',
    advice: 'With several windows open, name the folders in the file of each project',
    configure: jsonClient({
      place: '.cursor/mcp.json in the project, or ~/.cursor/mcp.json',
      key: 'mcpServers',
      http: ({ url, token }) => ({ url, ...headers(token) }),
    }),
  },
  {
    id: 'codex',
    name: 'Codex',
    gives: 'the folder of the session with every call',
    advice: 'To keep every session inside a folder, add --within and that folder',
    configure: (connection) => ({
      place: '~/.codex/config.toml',
      text:
        connection.kind === 'stdio'
          ? `[mcp_servers.${NAME}]\ncommand = "${COMMAND}"\nargs = [${quoted(args(connection))}]`
          : `[mcp_servers.${NAME}]\nurl = ${JSON.stringify(connection.url)}${
              connection.token === undefined ? '' : '\nbearer_token_env_var = "ROOTWARD_TOKEN"'
            }`,
      ...(connection.kind === 'http' &&
        connection.token !== undefined && {
          note: `Set ROOTWARD_TOKEN=${connection.token} where Codex is started.`,
        }),
    }),
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    gives: 'all its folders, and says when they change',
    advice: 'To keep folders of your own beside them, name those and add --client-roots add',
    configure: jsonClient({
      place: '.gemini/settings.json in the project, or ~/.gemini/settings.json',
      key: 'mcpServers',
      http: ({ url, token }) => ({ httpUrl: url, ...headers(token) }),
    }),
  },
  {
    id: 'zed',
    name: 'Zed',
    gives: 'nothing, but starts servers in the folder of the project',
    advice: 'With several folders open, name them',
    configure: jsonClient({
      place: 'settings.json (zed: open settings)',
      key: 'context_servers',
      http: ({ url, token }) => ({ url, ...headers(token) }),
    }),
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    gives: 'no reliable folders: pass them as arguments',
    advice: 'Where files are only to be read, add --read-only',
    configure: jsonClient({
      place: '~/.codeium/windsurf/mcp_config.json',
      key: 'mcpServers',
      http: ({ url, token }) => ({ serverUrl: url, ...headers(token) }),
      givesNothing: true,
    }),
  },
  {
    id: 'opencode',
    name: 'opencode',
    gives: 'the folder it was started in',
    advice: 'To work in others too, name those and add --client-roots add',
    configure: jsonClient({
      place: 'opencode.json in the project, or ~/.config/opencode/opencode.json',
      key: 'mcp',
      extra: { $schema: 'https://opencode.ai/config.json' },
      stdio: (connection) => ({ type: 'local', command: [COMMAND, ...args(connection)], enabled: true }),
      http: ({ url, token }) => ({ type: 'remote', url, ...headers(token), enabled: true }),
    }),
  },
  {
    id: 'jetbrains',
    name: 'JetBrains AI Assistant',
    gives: 'no reliable folders: pass them as arguments',
    advice: 'Where files are only to be read, add --read-only',
    configure: jsonClient({
      place: 'Settings, Tools, AI Assistant, Model Context Protocol (MCP), Add, As JSON',
      key: 'mcpServers',
      http: ({ url, token }) => ({ url, ...headers(token) }),
      givesNothing: true,
    }),
  },
  {
    id: 'goose',
    name: 'Goose',
    gives: 'its working directory, and says when it changes',
    advice: 'To keep it inside a folder wherever it goes, add --within and that folder',
    configure: (connection) => ({ place: '~/.config/goose/config.yaml', text: gooseYaml(connection) }),
  },
];

export const CLIENT_IDS: readonly string[] = KNOWN_CLIENTS.map(({ id }) => id);

/** YAML takes JSON strings and lists as they are. */
function gooseYaml(connection: ClientConnection): string {
  const head = ['extensions:', `  ${NAME}:`, `    name: ${NAME}`, '    enabled: true', '    timeout: 300'];
  const rest =
    connection.kind === 'stdio'
      ? ['    type: stdio', `    cmd: ${COMMAND}`, `    args: [${quoted(args(connection))}]`]
      : [
          '    type: streamable_http',
          `    uri: ${JSON.stringify(connection.url)}`,
          ...(connection.token === undefined
            ? []
            : ['    headers:', `      Authorization: ${JSON.stringify(`Bearer ${connection.token}`)}`]),
        ];
  return [...head, ...rest].join('\n');
}
