import type { HiddenPath, PlannedLink } from './plan.js';

/** What a plan has to know about the machine. Plain data, so that a plan can be made for any. */
export interface HostFacts {
  readonly platform: NodeJS.Platform;
  /** Canonical. */
  readonly home: string;
  /** Folders and files of the system that exist here. */
  readonly system: readonly string[];
  readonly links: readonly PlannedLink[];
  readonly devices: readonly string[];
  /** Folders of interpreters on `PATH`, outside the folders of the system. */
  readonly runtimes: readonly string[];
  /** Places of credentials that exist here, of the system and of the user. */
  readonly credentials: readonly HiddenPath[];
  /** What name resolution needs outside the system's folders. */
  readonly resolver: readonly string[];
}
