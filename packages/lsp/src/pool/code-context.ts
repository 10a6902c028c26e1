import type { Scope } from '@rootward/core';
import type { LanguageServers } from './language-servers.js';

/** What every question about code is asked with. Nothing outside the scope is read, shown or changed. */
export interface CodeContext {
  readonly servers: LanguageServers;
  readonly scope: Scope;
  readonly signal?: AbortSignal | undefined;
  /** Told what an answer waits for, such as a server that reads its files. */
  readonly progress?: ((message: string) => void) | undefined;
}
