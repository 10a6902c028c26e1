/** The part of an access token that says whom it stands for. */
interface TokenInfo {
  readonly clientId: string;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Whom an access token stands for, as far as it says: its client and, where the verifier passed them on as `extra`, its
 * subject (`sub`) and what it allows (`access`). The empty string without authentication.
 */
export function describePrincipal(authInfo: TokenInfo | undefined): string {
  if (authInfo === undefined) return '';
  const { sub: subject, access } = authInfo.extra ?? {};
  const names = [authInfo.clientId, typeof subject === 'string' ? subject : null];
  return JSON.stringify(typeof access === 'string' ? [...names, access] : names);
}

/**
 * The client and the subject of a principal as `describePrincipal` writes it, whatever its token allows. What someone
 * has changed stays theirs when they come back with a token that allows more, or less.
 */
export function ownerOf(principal: string): string {
  const names: unknown = principal === '' ? undefined : JSON.parse(principal);
  return Array.isArray(names) ? JSON.stringify(names.slice(0, 2)) : principal;
}
