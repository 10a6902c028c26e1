import type { WrappedEntries } from './wrap-settings.js';
import type { ClientRootsMode } from '@rootward/core';
import type { BackendName, Guarantee, WantedLevel } from '@rootward/sandbox';
import type { EnvironmentMode } from './environment-mode.js';
import type { SandboxGrants } from './sandbox-settings.js';
import type { HistoryBounds, HistoryModeName } from './history-settings.js';

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const CLIENT_ROOTS_MODES: readonly ClientRootsMode[] = ['replace', 'add', 'ignore'];

/** A later answer of the client does not count anyway. */
export const MAX_READY_SECONDS = 60;

/** What one principal may use over HTTP. */
export interface HttpLimits {
  /** Requests per second. */
  readonly requests?: number;
  /** Sessions that are open. */
  readonly sessions?: number;
  /** Bytes of requests and answers per minute. */
  readonly bytes?: number;
}

/** What one place (flags, environment, a file) says. Paths are absolute. Absent means nothing was said. */
export interface OptionValues {
  readonly toolsets?: readonly ToolsetName[];
  readonly tools?: readonly string[];
  readonly hideTools?: readonly string[];
  readonly readOnly?: boolean;
  readonly config?: string;
  readonly project?: string;
  readonly writableProject?: boolean;
  readonly registerHook?: boolean;
  readonly downloadHosts?: readonly string[];
  readonly toolEnvironment?: EnvironmentMode;
  readonly roots?: readonly string[];
  /** What messages call the place these come from. */
  readonly rootsOrigin?: string;
  readonly within?: readonly string[];
  readonly clientRoots?: ClientRootsMode;
  /** In seconds. */
  readonly readyTimeout?: number;
  readonly languageServers?: Readonly<Record<string, unknown>>;
  readonly diagnostics?: boolean;
  readonly overwriteChanged?: boolean;
  readonly trustWorkspaceServers?: boolean;
  readonly chdir?: boolean;
  readonly uiConsent?: boolean;
  readonly ui?: boolean;
  readonly telemetryPaths?: boolean;
  /** The port, true for the default one, or false for stdio. */
  readonly http?: number | boolean;
  readonly host?: string;
  readonly tokens?: readonly string[];
  readonly tokenFile?: string;
  readonly insecureNoToken?: boolean;
  readonly publicUrl?: string;
  readonly oauthIssuer?: string;
  readonly oauthAudience?: string;
  readonly store?: string;
  readonly storeFile?: string;
  readonly limits?: HttpLimits;
  readonly audit?: string;
  readonly sandboxLevel?: WantedLevel;
  readonly sandboxRequire?: Guarantee;
  readonly sandboxBackend?: BackendName;
  readonly sandboxNetwork?: boolean;
  readonly sandboxGrants?: SandboxGrants;
  readonly logLevel?: LogLevel;
  readonly history?: HistoryModeName;
  readonly historyExec?: boolean;
  readonly historyBounds?: HistoryBounds;
  readonly wrap?: WrappedEntries;
}

export const DEFAULT_PORT = 7420;

/** Listed here, so that reading a command line does not load the tools. */
export const TOOLSET_NAMES = ['workspace', 'files', 'code', 'project', 'exec'] as const;

export type ToolsetName = (typeof TOOLSET_NAMES)[number];
