import { isObject } from '@rootward/core/platform';
import { type Insertion } from '../formats/edit.js';

/** The tool of ours that the hook calls. */
const TOOL = 'bind_caller';

/** Claude Code names a tool of a server so, with other characters replaced. */
function toolPrefix(server: string): string {
  return `mcp__${server.replaceAll(/[^\w-]/g, '_')}__`;
}

/**
 * Before every call of a tool of ours, Claude Code itself calls `bind_caller` over the open connection: where the
 * caller works, and which call it is. It starts no process and decides nothing about permissions; when the server is
 * gone, the hook fails, and Claude Code goes on with the call.
 */
function claudeCodeHook(server: string): Readonly<Record<string, unknown>> {
  return {
    matcher: `${toolPrefix(server)}.*`,
    hooks: [
      {
        type: 'mcp_tool',
        server,
        tool: TOOL,
        // Without a sub-agent there is no agent_id; what is not known stays empty.
        input: { cwd: '${cwd}', id: '${tool_use_id}', agent: '${agent_id}' },
      },
    ],
  };
}

/**
 * The same for versions whose hooks only start commands: notes the three members down in the state directory, where the
 * server finds them when the call comes. It starts three small programs, which takes a few milliseconds, prints nothing,
 * which no version takes for a decision, and ends with 0 whatever happens.
 */
const NOTE_DOWN = [
  'd="${XDG_STATE_HOME:-$HOME/.local/state}/rootward/calls"',
  '[ -d "$d" ] || mkdir -p -m 700 "$d" 2>/dev/null || { cat >/dev/null; exit 0; }',
  'umask 077',
  `grep -oE '"(cwd|tool_use_id|agent_id)": *"([^"\\\\]|\\\\.)*"' >"$d/$$.part" 2>/dev/null`,
  'mv -f "$d/$$.part" "$d/$$.call" 2>/dev/null',
  'exit 0',
].join('; ');

function commandHook(server: string): Readonly<Record<string, unknown>> {
  return { matcher: `${toolPrefix(server)}.*`, hooks: [{ type: 'command', command: NOTE_DOWN, timeout: 5 }] };
}

export function claudeCodeInsertion(server: string, kind: ClaudeCodeHook = 'mcp_tool'): Insertion {
  return {
    path: ['hooks', 'PreToolUse'],
    value: kind === 'mcp_tool' ? claudeCodeHook(server) : commandHook(server),
    isItem: (item) =>
      isObject(item) &&
      Array.isArray(item['hooks']) &&
      item['hooks'].some(
        (hook) =>
          isObject(hook) &&
          ((hook['server'] === server && hook['tool'] === TOOL) ||
            (item['matcher'] === `${toolPrefix(server)}.*` && hook['command'] === NOTE_DOWN)),
      ),
  };
}

/** The type of hook that a version understands; undefined where it has none that helps. */
export type ClaudeCodeHook = 'mcp_tool' | 'command';

/** The first version whose hooks can call a tool of a server. */
const FIRST_WITH_TOOL_HOOKS = [2, 1, 118] as const;

/** `version`: what `claude --version` prints; undefined where it is not known, which is taken for a new one. */
export function claudeCodeHookFor(
  version: string | undefined,
  platform: NodeJS.Platform = process.platform,
): ClaudeCodeHook | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)\b/
    .exec(version ?? '')
    ?.slice(1)
    .map(Number);
  if (parts === undefined) return 'mcp_tool';
  const [major = 0, minor = 0, patch = 0] = parts;
  const [firstMajor, firstMinor, firstPatch] = FIRST_WITH_TOOL_HOOKS;
  const isOlder =
    major < firstMajor ||
    (major === firstMajor && (minor < firstMinor || (minor === firstMinor && patch < firstPatch)));
  if (!isOlder) return 'mcp_tool';
  // Without a shell there is nothing that starts in a few milliseconds.
  return platform === 'win32' ? undefined : 'command';
}
