import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Refusal } from './access-tokens.js';
import { SCOPES } from './scopes.js';

const ENDPOINT = '/mcp';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const METADATA_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Where clients look for it (RFC 9728): with the path of the resource, as they and as this server know it, and without. */
export function asksForMetadata(method: string | undefined, path: string, resource: string): boolean {
  if (!METADATA_METHODS.includes(method ?? '')) return false;
  return [WELL_KNOWN, WELL_KNOWN + ENDPOINT, new URL(metadataUrl(resource)).pathname].includes(path);
}

/** The address that clients use; undefined where they get no tokens for it. */
export function resourceOf(
  { accessTokens, publicUrl }: { readonly accessTokens?: unknown; readonly publicUrl?: string | undefined },
  host: string,
): string | undefined {
  return accessTokens === undefined ? undefined : (publicUrl ?? `http://${host}${ENDPOINT}`);
}

/** Public, and read by clients that are pages: the only answer that pages of other sites may read. */
export function sendMetadata(
  { method }: IncomingMessage,
  response: ServerResponse,
  resource: string,
  issuer: string,
): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  if (method === 'OPTIONS') {
    // Before they send a header such as MCP-Protocol-Version.
    response
      .writeHead(204, { 'Access-Control-Allow-Headers': '*', Allow: METADATA_METHODS.join(', ') })
      .end();
    return;
  }
  const body = JSON.stringify(resourceMetadata(resource, issuer));
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(method === 'HEAD' ? undefined : body);
}

/** What tells a client where to get a token. */
function resourceMetadata(resource: string, issuer: string): Record<string, unknown> {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Rootward',
  };
}

/**
 * `WWW-Authenticate` (RFC 6750). Where there are tokens to get, it says where the metadata is, as the MCP authorization
 * text asks.
 */
export function challenge(resource: string | undefined, { error, message }: Omit<Refusal, 'status'>): string {
  const [widest] = SCOPES;
  const found = error === undefined ? [] : [`error="${error}"`, `error_description="${plain(message)}"`];
  const parameters =
    resource === undefined
      ? ['realm="rootward"', ...found]
      : [`resource_metadata="${metadataUrl(resource)}"`, ...found, `scope="${widest}"`];
  return `Bearer ${parameters.join(', ')}`;
}

/** The characters that a description may have. */
function plain(text: string): string {
  return text.replaceAll(/[^ -~]|["\\]/g, "'");
}

/** Where the metadata of a resource is. */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}`;
}
