import type { Refusal } from './access-tokens.js';
import { SCOPES } from './scopes.js';

const ENDPOINT = '/mcp';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Where clients look for it (RFC 9728): with the path of the resource, as they and as this server know it, and without. */
export function isMetadataPath(path: string, resource: string): boolean {
  return [WELL_KNOWN, WELL_KNOWN + ENDPOINT, new URL(metadataUrl(resource)).pathname].includes(path);
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
  const [widest] = SCOPES;
  return [
    `Bearer resource_metadata="${metadataUrl(resource)}"`,
    ...(refusal?.error === undefined ? [] : [`error="${refusal.error}"`]),
    `scope="${widest}"`,
  ].join(', ');
}

/** Where the metadata of a resource is. */
export function metadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}`;
}
