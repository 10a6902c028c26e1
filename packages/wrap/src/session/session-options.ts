import type { Logger } from '@rootward/core';
import type { ChildRegistry, PreparedWorkspace } from '@rootward/mcp/host';
import type { ChangePolicy } from '../inner/change-policy.js';
import type { InnerEra } from '../inner/era-bridge.js';
import type { KeeperOptions } from '../inner/keeper.js';
import type { CommandTemplate } from '../inner/launch.js';
import type { CallRoots } from '../roots/call-roots.js';
import type { WatchCall } from './call-watch.js';
import type { SessionObserver } from './observed-session.js';
import type { ToolFilter } from './tool-filter.js';

/** What a session is made of. */
export interface SessionOptions {
  readonly prepared: PreparedWorkspace;
  readonly transport: 'local' | 'http';
  /** A client of the modern era is asked for roots inside its own calls only. */
  readonly era: 'legacy' | 'modern';
  /** What is known about the era that the server speaks, where other sessions start the same one. */
  readonly innerEra?: InnerEra | undefined;
  readonly template: CommandTemplate;
  readonly policy: ChangePolicy;
  readonly filter: ToolFilter;
  readonly children: ChildRegistry;
  readonly log: Logger;
  /** Output of the server that is no message. */
  readonly noise: (bytes: Buffer) => void;
  /** An empty folder to start in while the roots are not known, made on first use. */
  readonly emptyFolder: () => string;
  /** Where this process was started: some servers are found from there only. */
  readonly directory: string;
  readonly contain?: KeeperOptions['contain'] | undefined;
  /** Looks at the roots before and after each call that may change something. */
  readonly watch?: WatchCall | undefined;
  /** Over HTTP, who the client is. */
  readonly principal?: string | undefined;
  readonly shown?: KeeperOptions['shown'];
  readonly observer?: SessionObserver | undefined;
  /** Where roots come from, if not from the client of this session. */
  readonly roots?: CallRoots | undefined;
  /** Told when the server does not read fast enough, and when it does again. */
  readonly flow?: { hold(): void; release(): void } | undefined;
}
