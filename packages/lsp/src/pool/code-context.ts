import type { Scope } from '@rootward/core';
import type { LanguageServers } from './language-servers.js';
import type { Waiting } from './options.js';
import type { SyntaxSource } from './syntax-source.js';

/** What every question about code is asked with. Nothing outside the scope is read, shown or changed. */
export interface CodeContext extends Waiting {
  readonly servers: LanguageServers;
  readonly scope: Scope;
  /** Loads a parser that answers what it can where there is no server; resolves with undefined where there is none. */
  readonly syntax?: (() => Promise<SyntaxSource | undefined>) | undefined;
}
