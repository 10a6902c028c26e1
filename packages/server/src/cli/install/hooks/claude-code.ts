import type { Insertion } from '../formats/edit.js';
import { isRecord } from '../formats/edit.js';

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

export function claudeCodeInsertion(server: string): Insertion {
  return {
    path: ['hooks', 'PreToolUse'],
    value: claudeCodeHook(server),
    isItem: (item) =>
      isRecord(item) &&
      Array.isArray(item['hooks']) &&
      item['hooks'].some((hook) => isRecord(hook) && hook['server'] === server && hook['tool'] === TOOL),
  };
}
