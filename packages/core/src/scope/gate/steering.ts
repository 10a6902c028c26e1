import { WORKSPACE_RULES_FILE } from './rules-file.js';

/**
 * Files that decide what will run or be in scope next time: rules files, the configurations by which clients start
 * servers and hooks, and what makes git run programs, by their paths below any folder. Readable, but never changed,
 * moved or removed.
 */
export const STEERING_PATHS: readonly string[] = [
  WORKSPACE_RULES_FILE,
  '.mcp.json',
  '.claude.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/hooks',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.cursor/mcp.json',
  '.cursor/hooks.json',
  '.gemini/settings.json',
  '.qwen/settings.json',
  '.vscode/mcp.json',
  '.zed/settings.json',
  '.kilocode/mcp.json',
  '.roo/mcp.json',
  '.amazonq/mcp.json',
  '.copilot/mcp-config.json',
  'opencode.json',
  '.git/config',
  '.git/config.worktree',
  '.git/hooks',
  '.git/info/attributes',
  '.git/modules',
  '.git/worktrees',
];

const ESCAPED = STEERING_PATHS.map((path) =>
  path.replaceAll('.', String.raw`\.`).replaceAll('/', String.raw`[\\/]`),
);
/** At any depth, in any letter case: on a case-insensitive disk every spelling is the same file. */
const ANYWHERE = new RegExp(String.raw`(?:^|[\\/])(?:${ESCAPED.join('|')})(?:[\\/]|$)`, 'i');
/** A file of this name sends git to another folder for its configuration and its hooks. */
const REPOSITORY = /(?:^|[\\/])\.git$/i;

/** Whether a canonical path is one of these files, or lies in one of these folders. */
export function isSteering(path: string): boolean {
  return ANYWHERE.test(path) || REPOSITORY.test(path);
}
