/** What `--client` takes. Help and completion name them, so this is loaded with every start. */
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

export type ClientId = (typeof CLIENT_IDS)[number];

/** Whether a configuration holds for one project or for all projects of the user. */
export const SCOPES = ['project', 'user'] as const;

export type InstallScope = (typeof SCOPES)[number];
