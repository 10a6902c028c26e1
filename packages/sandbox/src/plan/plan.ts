import type { SandboxLevel } from '../level.js';

/** `device`: may be read and written, but not created. */
export type PathAccess = 'read' | 'write' | 'device';

/** Why a path is allowed. */
export type PathReason = 'root' | 'system' | 'runtime' | 'named' | 'device';

/** A path a child may use, with everything below it. Reading includes running programs. */
export interface PlannedPath {
  readonly path: string;
  readonly access: PathAccess;
  readonly why: PathReason;
}

/** A path inside an allowed folder that is hidden. */
export interface HiddenPath {
  readonly path: string;
  readonly kind: 'file' | 'directory';
  /** `credential`: programs keep secrets there. `kept`: Rootward does. `rule`: denied by the operator or the workspace. */
  readonly why: 'credential' | 'kept' | 'rule';
}

/** A symbolic link of the system, such as `/bin`, which is part of what programs expect. */
export interface PlannedLink {
  readonly path: string;
  readonly target: string;
}

/** What one child may touch: plain data, the same for every backend. */
export interface SandboxPlan {
  readonly level: Exclude<SandboxLevel, 'off'>;
  /** Everything may be read except `hidden`; `paths` then says what may be written. */
  readonly readsEverything: boolean;
  /** Folders before what is in them. */
  readonly paths: readonly PlannedPath[];
  readonly links: readonly PlannedLink[];
  readonly hidden: readonly HiddenPath[];
  /** Files and folders inside a writable folder that must not be changed, because they steer programs of the user. */
  readonly fixed: readonly string[];
  /** Roots that could be written, were it not for something in them that steers programs, such as a link. */
  readonly fixedRoots: readonly string[];
  /** Files and folders inside a writable folder that a rule makes read-only. */
  readonly locked: readonly string[];
  readonly network: boolean;
  /** The home directory of the user, which the private one replaces. */
  readonly home: string;
  /** Named folders of the home directory, linked from the private one. */
  readonly homeLinks: readonly string[];
}
