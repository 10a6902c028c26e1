import type { ServerContext } from '@modelcontextprotocol/server';
import { describePrincipal } from '../context/principal.js';

/** Whom a call comes from: the client and subject of its access token, the empty string without authentication. */
export function principalOf(ctx: ServerContext): string {
  return describePrincipal(ctx.http?.authInfo);
}
