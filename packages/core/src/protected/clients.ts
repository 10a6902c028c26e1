import { isAbsolute, join } from 'node:path';
import type { Surroundings } from './place.js';

/** The folders in which clients keep files of a user. */
export interface ClientFolders {
  readonly home: string;
  /** `$XDG_CONFIG_HOME`, or its default. */
  readonly config: string;
  /** The folder for settings of programs with windows. */
  readonly applications: string;
  readonly environment: Surroundings['environment'];
  readonly platform: NodeJS.Platform;
}

/** The files of one client that steer it. `rootward install` writes into some; tools change none of them. */
export interface ClientFiles {
  readonly name: string;
  /** Its configurations in a project, by path from there: the first that is there is edited, else the first is made. */
  readonly project: readonly string[];
  /** The same of a user, as absolute paths. */
  readonly user?: (folders: ClientFolders) => readonly string[];
  /** Further places that make it run something, at any depth. */
  readonly more: readonly string[];
  /** Folders of a user that steer it as a whole. */
  readonly userFolders?: (folders: ClientFolders) => readonly string[];
}

/** The clients that `rootward install` knows. Help and completion name them, so this is loaded with every start. */
export const CLIENT_IDS = [
  'claude-code',
  'claude-desktop',
  'vscode',
  'cursor',
  'codex',
  'gemini-cli',
  'qwen-code',
  'opencode',
  'kilo',
  'goose',
  'zed',
  'windsurf',
  'copilot-cli',
  'cline',
  'continue',
  'jetbrains',
] as const;

/** The id of one of them. */
export type ClientId = (typeof CLIENT_IDS)[number];

const CLINE_FILE = 'cline_mcp_settings.json';

/** The files of each of them. `install` writes there, and no tool of ours does. */
export const CLIENT_FILES: Readonly<Record<ClientId, ClientFiles>> = {
  'claude-code': {
    name: 'Claude Code',
    project: ['.mcp.json'],
    user: (folders) => [
      join(given(folders.environment['CLAUDE_CONFIG_DIR']) ?? folders.home, '.claude.json'),
    ],
    // Agents, commands and skills may start servers, run hooks and run commands of a shell.
    more: [
      '.claude.json',
      '.claude/settings.json',
      '.claude/settings.local.json',
      '.claude/hooks',
      '.claude/plugins',
      '.claude/agents',
      '.claude/commands',
      '.claude/skills',
    ],
    userFolders: movedBy('CLAUDE_CONFIG_DIR'),
  },
  'claude-desktop': {
    name: 'Claude Desktop',
    project: [],
    user: ({ applications }) => [join(applications, 'Claude', 'claude_desktop_config.json')],
    more: ['claude_desktop_config.json'],
  },
  vscode: {
    name: 'VS Code',
    project: ['.vscode/mcp.json'],
    user: ({ applications }) => [join(applications, 'Code', 'User', 'mcp.json')],
    // Settings name programs to start, and tasks may start with the folder.
    more: ['.vscode/settings.json', '.vscode/tasks.json', '.vscode/launch.json', '*.code-workspace'],
    userFolders: ({ applications }) => [join(applications, 'Code', 'User')],
  },
  cursor: {
    name: 'Cursor',
    project: ['.cursor/mcp.json'],
    user: ({ home }) => [join(home, '.cursor', 'mcp.json')],
    more: [
      '.cursor/hooks.json',
      '.cursor/hooks',
      '.cursor/cli.json',
      '.cursor/permissions.json',
      '.cursor/sandbox.json',
      '.cursor/environment.json',
      '.cursor/worktrees.json',
    ],
  },
  codex: {
    name: 'Codex',
    project: ['.codex/config.toml'],
    user: (folders) => [join(folderOf(folders, 'CODEX_HOME', '.codex'), 'config.toml')],
    more: ['.codex/hooks.json', '.codex/hooks', '.codex/rules'],
    userFolders: movedBy('CODEX_HOME'),
  },
  'gemini-cli': {
    name: 'Gemini CLI',
    project: ['.gemini/settings.json'],
    user: ({ home }) => [join(home, '.gemini', 'settings.json')],
    more: ['.gemini/hooks', '.gemini/extensions', '.gemini/commands', '.gemini/policies', '.gemini/.env'],
  },
  'qwen-code': {
    name: 'Qwen Code',
    project: ['.qwen/settings.json'],
    user: ({ home }) => [join(home, '.qwen', 'settings.json')],
    more: ['.qwen/hooks', '.qwen/extensions', '.qwen/commands', '.qwen/agents', '.qwen/.env'],
  },
  opencode: {
    name: 'opencode',
    project: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
    user: (folders) => ['opencode.json', 'opencode.jsonc'].map((file) => join(opencodeFolder(folders), file)),
    // It runs plugins and tools from there, and installs packages that are named there.
    more: ['.opencode'],
    userFolders: (folders) => [opencodeFolder(folders)],
  },
  kilo: {
    name: 'Kilo',
    project: ['.kilo/kilo.jsonc', '.kilo/kilo.json', 'kilo.jsonc', 'kilo.json'],
    user: ({ config }) => ['kilo.jsonc', 'kilo.json'].map((file) => join(config, 'kilo', file)),
    more: ['.kilo', '.kilocode/mcp.json'],
    userFolders: ({ config }) => [join(config, 'kilo')],
  },
  goose: {
    name: 'Goose',
    project: [],
    user: ({ config, applications, platform }) => [
      platform === 'win32'
        ? join(applications, 'Block', 'goose', 'config', 'config.yaml')
        : join(config, 'goose', 'config.yaml'),
    ],
    more: [],
    userFolders: ({ config }) => [join(config, 'goose')],
  },
  zed: {
    name: 'Zed',
    project: ['.zed/settings.json'],
    user: (folders) => [join(zedFolder(folders), 'settings.json')],
    more: ['.zed/tasks.json', '.zed/debug.json'],
    userFolders: (folders) => [zedFolder(folders)],
  },
  windsurf: {
    name: 'Windsurf',
    project: [],
    user: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
    more: [
      '.codeium/windsurf',
      '.windsurf/mcp.json',
      '.windsurf/mcp_config.json',
      '.windsurf/hooks.json',
      '.windsurf/hooks',
    ],
  },
  'copilot-cli': {
    name: 'Copilot CLI',
    project: ['.github/mcp.json'],
    user: (folders) => [join(folderOf(folders, 'COPILOT_HOME', '.copilot'), 'mcp-config.json')],
    more: ['.copilot', '.github/hooks', '.github/agents', '.github/copilot'],
    userFolders: movedBy('COPILOT_HOME'),
  },
  cline: {
    name: 'Cline',
    project: [],
    user: (folders) => {
      const named = given(folders.environment['CLINE_MCP_SETTINGS_PATH']);
      if (named !== undefined) return [named];
      const storage = join(folders.applications, 'Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev');
      return [join(folderOf(folders, 'CLINE_DIR', '.cline'), 'data'), storage].map((folder) =>
        join(folder, 'settings', CLINE_FILE),
      );
    },
    more: ['cline_mcp_settings.json', '.clinerules/hooks', '.cline/hooks'],
    userFolders: movedBy('CLINE_DIR'),
  },
  continue: {
    name: 'Continue',
    project: ['.continue/mcpServers'],
    user: (folders) => [join(folderOf(folders, 'CONTINUE_GLOBAL_DIR', '.continue'), 'mcpServers')],
    more: [
      '.continue/config.yaml',
      '.continue/config.json',
      '.continue/config.ts',
      '.continue/permissions.yaml',
      '.continuerc.json',
    ],
    userFolders: movedBy('CONTINUE_GLOBAL_DIR'),
  },
  jetbrains: {
    name: 'Junie or a JetBrains IDE',
    project: ['.junie/mcp/mcp.json'],
    user: ({ home }) => [join(home, '.junie', 'mcp', 'mcp.json')],
    // Startup tasks, file watchers, run configurations and interpreters.
    more: ['.junie/mcp', '.idea', '*.run.xml'],
  },
};

/** The folders of clients on a machine. */
export function clientFolders({
  environment,
  home,
  platform = process.platform,
}: Surroundings): ClientFolders {
  const config = given(environment['XDG_CONFIG_HOME']) ?? join(home, '.config');
  const roaming = given(environment['APPDATA']) ?? join(home, 'AppData', 'Roaming');
  const applications =
    platform === 'darwin'
      ? join(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? roaming
        : config;
  return { home, config, applications, environment, platform };
}

/** The value of a variable that names a folder of a client, or where that is by default. */
export function folderOf(
  { environment, home }: Pick<ClientFolders, 'environment' | 'home'>,
  variable: string,
  usual: string,
): string {
  return given(environment[variable]) ?? join(home, usual);
}

/** The folder of a user's configuration of opencode, with its plugins. */
export function opencodeFolder({ config, environment }: ClientFolders): string {
  return given(environment['OPENCODE_CONFIG_DIR']) ?? join(config, 'opencode');
}

function zedFolder({ home, config, platform }: ClientFolders): string {
  return join(platform === 'linux' ? config : join(home, '.config'), 'zed');
}

/** The folder that a variable names instead of the usual one, whose name steers at any depth anyway. */
function movedBy(variable: string): (folders: ClientFolders) => readonly string[] {
  return ({ environment }) => [environment[variable] ?? ''].filter(isAbsolute);
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
