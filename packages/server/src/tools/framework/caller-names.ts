import type { ServerContext } from '@modelcontextprotocol/server';

/**
 * The client and the subject of the token that a call came with: the names that `rootward revoke --principal` takes.
 * Undefined without a token, as over stdio.
 */
export function callerNames({ http }: Pick<ServerContext, 'http'>): readonly string[] | undefined {
  const { authInfo } = http ?? {};
  if (authInfo === undefined) return undefined;
  const subject: unknown = authInfo.extra?.['sub'];
  return typeof subject === 'string' ? [authInfo.clientId, subject] : [authInfo.clientId];
}
