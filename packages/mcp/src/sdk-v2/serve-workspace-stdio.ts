import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { ServerBinding } from '../hooks/server-binding.js';
import { guardStdio, type GuardedStdio, type GuardedStdioOptions } from '../lifecycle/guarded-stdio.js';

/** Options of `serveWorkspaceStdio`. Everything may be left out. */
export interface ServeWorkspaceStdioOptions extends GuardedStdioOptions {
  /** `'reject'` refuses clients of the legacy era. */
  readonly legacy?: 'serve' | 'reject';
  /** For errors that belong to no request, such as a line that is not JSON. */
  readonly onerror?: (error: Error) => void;
}

/**
 * Serves MCP over stdin and stdout, both eras, from one factory, and leaves within a second when the client
 * does: on the end of stdin, a closed stdout, a signal, or the parent's death.
 */
export function serveWorkspaceStdio(
  factory: McpServerFactory,
  options: ServeWorkspaceStdioOptions = {},
): GuardedStdio {
  return guardStdio(options, (transport) => {
    const { legacy, onerror } = options;
    // The SDK hands over one message after the other, so only the transport knows which ones have come.
    const serve: McpServerFactory = async (context) => {
      const server = await factory(context);
      ServerBinding.countArrivals(server, () => transport.taken);
      return server;
    };
    const handle = serveStdio(serve, {
      transport,
      ...(legacy !== undefined && { legacy }),
      ...(onerror !== undefined && { onerror }),
    });
    return () => handle.close();
  });
}
