import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { guardStdio, type GuardedStdio, type GuardedStdioOptions } from '../lifecycle/guarded-stdio.js';

/**
 * Serves MCP over stdin and stdout, and leaves within a second when the client does: on the end of stdin, a closed
 * stdout, a signal, or the parent's death.
 */
export function serveWorkspaceStdio(
  factory: () => McpServer | Server,
  options: GuardedStdioOptions = {},
): GuardedStdio {
  return guardStdio(options, (transport) => {
    const server = factory();
    void server.connect(transport);
    return () => server.close();
  });
}
