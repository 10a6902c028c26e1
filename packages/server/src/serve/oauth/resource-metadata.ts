import type { Refusal } from './access-tokens.js';
import { SCOPES } from './scopes.js';

const ENDPOINT = '/mcp';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Where clients look for it (RFC 9728): with the path of the resource, and without. */
export function isMetadataPath(path: string): boolean {
  return path === WELL_KNOWN || path === WELL_KNOWN + ENDPOINT;
}

/** What tells a client where to get a token. `resource` is the address it uses. */
export function resourceMetadata(resource: string, issuer: string): Record<string, unknown> {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Rootward',
  };
}

/** `WWW-Authenticate` (RFC 6750), with where the metadata is, as the MCP authorization text asks. */
export function challenge(resource: string, refusal: Refusal | undefined): string {
  const { origin } = new URL(resource);
  const [widest] = SCOPES;
  return [
    `Bearer resource_metadata="${origin}${WELL_KNOWN}${ENDPOINT}"`,
    ...(refusal?.error === undefined ? [] : [`error="${refusal.error}"`]),
    `scope="${widest}"`,
  ].join(', ');
}
