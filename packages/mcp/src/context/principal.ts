/** The part of an access token that says whom it stands for. */
interface TokenInfo {
  readonly clientId: string;
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Whom an access token stands for, as far as it says: its client and, where the verifier passed it on, its subject.
 * The empty string without authentication.
 */
export function describePrincipal(authInfo: TokenInfo | undefined): string {
  if (authInfo === undefined) return '';
  const subject = authInfo.extra?.['sub'];
  return JSON.stringify([authInfo.clientId, typeof subject === 'string' ? subject : null]);
}
