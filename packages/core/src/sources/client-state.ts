/**
 * What is known of the client as a source of roots.
 *
 * `unsupported` (declared none), `empty` (answered with none) and `silent` (did not answer) are three different
 * things: only the second one can take roots away.
 */
export type ClientState =
  | 'unasked'
  | 'unsupported'
  | 'ignored'
  | 'pending'
  | 'answered'
  | 'empty'
  | 'refused'
  | 'silent'
  | 'malformed';

/** How a client introduced itself; for messages only, never a reason to behave differently. */
export interface ClientInfo {
  readonly name: string;
  readonly version?: string;
}

/** What a client said about roots when it introduced itself. */
export interface ClientDeclaration {
  /** The client declared the `roots` capability, with or without `listChanged`. */
  readonly roots: boolean;
  readonly listChanged?: boolean;
  readonly clientInfo?: ClientInfo;
}
