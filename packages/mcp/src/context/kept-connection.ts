import type { KeptBindings, KeptWorkspace } from '@rootward/core';

/** What a connection of the legacy era knows beyond what its client said when it introduced itself. Plain data. */
export interface KeptConnection {
  readonly workspace?: KeptWorkspace | undefined;
  readonly bindings?: KeptBindings | undefined;
  /** What the history calls the connection. */
  readonly history?: string | undefined;
  /** The path of the root that relative paths start at. */
  readonly relativeTo?: string | undefined;
}

/** Saves what a connection knows, and restores it in another one. */
export interface ConnectionKeeper {
  keep(): KeptConnection;
  /** When what the client said so far has been taken in. */
  settled(): Promise<void>;
  /** `since`: what this connection and the kept one had in common; what changed here since then is merged. */
  restore(kept: KeptConnection, since: KeptConnection): Promise<void>;
}

/** A transport whose session outlives the server that is connected to it. */
interface KeepingTransport {
  keepWith(keeper: ConnectionKeeper): void;
}

export function keepsConnection(transport: object | undefined): transport is KeepingTransport {
  return transport !== undefined && 'keepWith' in transport && typeof transport.keepWith === 'function';
}
