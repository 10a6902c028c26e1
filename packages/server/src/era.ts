/** The two kinds of connection: `legacy` has a handshake and may be asked; on `modern` each request stands alone. */
export type Era = 'legacy' | 'modern';
