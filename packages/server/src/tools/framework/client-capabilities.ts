import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '@rootward/core/platform';

/** What the client of one call can do for us. */
export interface ClientCapabilities {
  /** It shows its user a form. */
  readonly forms: boolean;
  /** It asks its user to open an address. */
  readonly urls: boolean;
  /** It shows pages of tools (MCP Apps). */
  readonly pages: boolean;
}

const PAGES_EXTENSION = 'io.modelcontextprotocol/ui';

/** A modern client says so with each request, a legacy one once. */
export function clientCapabilities(
  { mcpReq: { envelope } }: Pick<ServerContext, 'mcpReq'>,
  { server }: Pick<McpServer, 'server'>,
): ClientCapabilities {
  const declared: unknown = isObject(envelope)
    ? envelope[CLIENT_CAPABILITIES_META_KEY]
    : server.getClientCapabilities();
  const { elicitation, extensions } = isObject(declared) ? declared : {};
  return {
    // A bare `elicitation: {}` means forms; one that names only other ways to ask has none.
    forms: isObject(elicitation) && ('form' in elicitation || !('url' in elicitation)),
    urls: isObject(elicitation) && 'url' in elicitation,
    pages: isObject(extensions) && PAGES_EXTENSION in extensions,
  };
}
