import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';

/**
 * Whom an access token stands for, as far as it says: its client and, where the verifier passed it on, its subject.
 * The empty string without authentication.
 */
export function describePrincipal(authInfo: AuthInfo | undefined): string {
  if (authInfo === undefined) return '';
  const subject = authInfo.extra?.['sub'];
  return JSON.stringify([authInfo.clientId, typeof subject === 'string' ? subject : null]);
}

/** Whom a call comes from: the client and subject of its access token, the empty string without authentication. */
export function principalOf(ctx: ServerContext): string {
  return describePrincipal(ctx.http?.authInfo);
}
