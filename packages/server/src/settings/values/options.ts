import { delimiter } from 'node:path';
import { ENVIRONMENT_MODES } from './environment-mode.js';
import { HISTORY_MODES } from './history-settings.js';
import {
  CLIENT_ROOTS_MODES,
  LOG_LEVELS,
  MAX_READY_SECONDS,
  TOOLSET_NAMES,
  type OptionValues,
} from './option-values.js';
import { readLimits, readSecureUrl, readStore } from './http-settings.js';
import { SANDBOX_BACKENDS, SANDBOX_GUARANTEES, SANDBOX_LEVELS } from './sandbox-settings.js';
import type { Origin } from './read-values.js';
import {
  readBoolean,
  readChoice,
  readHost,
  readNames,
  readPath,
  readPort,
  readSeconds,
  readTokens,
  readToolEnvironment,
  readToolsets,
} from './read-values.js';

/** The headings of help, in its order. */
type OptionGroup = 'Folders:' | 'Tools:' | 'Sandbox:' | 'HTTP:' | 'Settings:';

/** One option of the server, however it is given. */
export interface OptionSpec {
  /** As the command line takes it. */
  readonly flag: string;
  /** Its twin in the environment. */
  readonly variable: string;
  readonly description: string;
  /** Under which heading help shows it. */
  readonly group: OptionGroup;
  /** All the values there are, or how each of them starts. */
  readonly choices?: readonly string[];
  /** May be given several times; in the environment, this separates the values. */
  readonly separator?: string;
  /** The texts come in the order they were given. */
  readonly read: (texts: readonly [string, ...string[]], origin: Origin) => OptionValues;
}

/** Every option, in the order help shows them. */
export const OPTIONS: readonly OptionSpec[] = [
  {
    flag: '--root <path>',
    variable: 'ROOTWARD_ROOTS',
    group: 'Folders:',
    description: 'a folder or file in scope; repeatable',
    separator: delimiter,
    read: (texts) => ({ roots: texts }),
  },
  {
    flag: '--within <dir>',
    variable: 'ROOTWARD_WITHIN',
    group: 'Folders:',
    description: 'the ceiling: every root stays inside it, whoever names the root; repeatable',
    separator: delimiter,
    read: (texts, origin) => ({ within: texts.map((text) => readPath(text, origin)) }),
  },
  {
    flag: '--client-roots <mode>',
    variable: 'ROOTWARD_CLIENT_ROOTS',
    group: 'Folders:',
    choices: CLIENT_ROOTS_MODES,
    description: `how client folders combine with yours: ${CLIENT_ROOTS_MODES.join(', ')} (default replace)`,
    read: ([text], origin) => ({ clientRoots: readChoice(text, CLIENT_ROOTS_MODES, origin) }),
  },
  {
    flag: '--ready-timeout <s>',
    variable: 'ROOTWARD_READY_TIMEOUT',
    group: 'Folders:',
    description: `how many seconds a call waits for the folders of the client: 0 to ${MAX_READY_SECONDS} (default 2)`,
    read: ([text], origin) => ({ readyTimeout: readSeconds(text, origin, MAX_READY_SECONDS) }),
  },
  {
    flag: '--ui',
    variable: 'ROOTWARD_UI',
    group: 'Settings:',
    description: 'serve the page of this process, and print its address to stderr',
    read: ([text], origin) => ({ ui: readBoolean(text, origin) }),
  },
  {
    flag: '--telemetry-paths',
    variable: 'ROOTWARD_TELEMETRY_PATHS',
    group: 'Settings:',
    description: 'include paths in what is sent to OpenTelemetry',
    read: ([text], origin) => ({ telemetryPaths: readBoolean(text, origin) }),
  },
  {
    flag: '--ui-consent',
    variable: 'ROOTWARD_UI_CONSENT',
    group: 'Settings:',
    description: 'let the page answer questions that a client cannot show its user',
    read: ([text], origin) => ({ uiConsent: readBoolean(text, origin) }),
  },
  {
    flag: '--chdir',
    variable: 'ROOTWARD_CHDIR',
    group: 'Folders:',
    description: 'move the process to the first root, and follow it (stdio only)',
    read: ([text], origin) => ({ chdir: readBoolean(text, origin) }),
  },
  {
    flag: '--toolsets <names>',
    variable: 'ROOTWARD_TOOLSETS',
    group: 'Tools:',
    choices: TOOLSET_NAMES,
    description: `only these tools, comma-separated: ${TOOLSET_NAMES.join(', ')} (default all)`,
    separator: ',',
    read: (texts, origin) => ({ toolsets: readToolsets(texts, origin) }),
  },
  {
    flag: '--tools <globs>',
    variable: 'ROOTWARD_TOOLS',
    group: 'Tools:',
    description: 'only tools whose name matches, comma-separated, such as "read_*,search_*"; repeatable',
    separator: ',',
    read: (texts, origin) => ({ tools: readNames(texts, origin) }),
  },
  {
    flag: '--hide-tools <globs>',
    variable: 'ROOTWARD_HIDE_TOOLS',
    group: 'Tools:',
    description: 'no tools whose name matches, comma-separated; repeatable',
    separator: ',',
    read: (texts, origin) => ({ hideTools: readNames(texts, origin) }),
  },
  {
    flag: '--read-only',
    variable: 'ROOTWARD_READ_ONLY',
    group: 'Tools:',
    description: 'refuse every change, in all roots',
    read: ([text], origin) => ({ readOnly: readBoolean(text, origin) }),
  },
  {
    flag: '--overwrite-changed',
    variable: 'ROOTWARD_OVERWRITE_CHANGED',
    group: 'Tools:',
    description: 'let write_file replace a file that changed since the session last saw it',
    read: ([text], origin) => ({ overwriteChanged: readBoolean(text, origin) }),
  },
  {
    flag: '--project <dir>',
    variable: 'ROOTWARD_PROJECT',
    group: 'Tools:',
    description: 'the tools project, whose executables become tools',
    read: ([text], origin) => ({ project: readPath(text, origin) }),
  },
  {
    flag: '--writable-project',
    variable: 'ROOTWARD_WRITABLE_PROJECT',
    group: 'Tools:',
    description: 'let tools change files of the tools project, apart from tools/ and config/',
    read: ([text], origin) => ({ writableProject: readBoolean(text, origin) }),
  },
  {
    flag: '--register-hook',
    variable: 'ROOTWARD_REGISTER_HOOK',
    group: 'Tools:',
    description: 'run server.d/register.sh of the tools project at the start',
    read: ([text], origin) => ({ registerHook: readBoolean(text, origin) }),
  },
  {
    flag: '--download-hosts <h>',
    variable: 'ROOTWARD_DOWNLOAD_HOSTS',
    group: 'Tools:',
    description: 'hosts the download helper of executables may fetch from, comma-separated (default none)',
    separator: ',',
    read: (texts, origin) => ({ downloadHosts: readNames(texts, origin, 'names of hosts') }),
  },
  {
    flag: '--tool-env <mode>',
    variable: 'ROOTWARD_TOOL_ENV',
    group: 'Tools:',
    choices: ENVIRONMENT_MODES,
    description: 'which environment variables executables get: minimal (default), inherit, or allow:A,B',
    read: ([text], origin) => ({ toolEnvironment: readToolEnvironment(text, origin) }),
  },
  {
    flag: '--sandbox <level>',
    variable: 'ROOTWARD_SANDBOX',
    group: 'Sandbox:',
    choices: SANDBOX_LEVELS,
    description:
      'what executables and language servers may touch: off, write, strict, or auto (default off for executables, auto for language servers)',
    read: ([text], origin) => ({ sandboxLevel: readChoice(text, SANDBOX_LEVELS, origin) }),
  },
  {
    flag: '--sandbox-require <g>',
    variable: 'ROOTWARD_SANDBOX_REQUIRE',
    group: 'Sandbox:',
    choices: SANDBOX_GUARANTEES,
    description: 'refuse a sandbox that guarantees less: full or contents',
    read: ([text], origin) => ({ sandboxRequire: readChoice(text, SANDBOX_GUARANTEES, origin) }),
  },
  {
    flag: '--sandbox-backend <b>',
    variable: 'ROOTWARD_SANDBOX_BACKEND',
    group: 'Sandbox:',
    choices: SANDBOX_BACKENDS,
    description: `use this one: ${SANDBOX_BACKENDS.join(', ')} (default the strongest that works)`,
    read: ([text], origin) => ({ sandboxBackend: readChoice(text, SANDBOX_BACKENDS, origin) }),
  },
  {
    flag: '--sandbox-network',
    variable: 'ROOTWARD_SANDBOX_NETWORK',
    group: 'Sandbox:',
    description: 'allow the network at level strict',
    read: ([text], origin) => ({ sandboxNetwork: readBoolean(text, origin) }),
  },
  {
    flag: '--history <mode>',
    variable: 'ROOTWARD_HISTORY',
    group: 'Tools:',
    choices: HISTORY_MODES,
    description: `keep what was there before each change: ${HISTORY_MODES.join(', ')} (default best-effort)`,
    read: ([text], origin) => ({ history: readChoice(text, HISTORY_MODES, origin) }),
  },
  {
    flag: '--history-exec',
    variable: 'ROOTWARD_HISTORY_EXEC',
    group: 'Tools:',
    description:
      'keep what executables and wrapped servers change in the roots, too, as far as time and size allow',
    read: ([text], origin) => ({ historyExec: readBoolean(text, origin) }),
  },
  {
    flag: '--http [port]',
    variable: 'ROOTWARD_HTTP',
    group: 'HTTP:',
    description: 'serve Streamable HTTP instead of stdio (default port 7420)',
    read: ([text], origin) => ({ http: readPort(text, origin) }),
  },
  {
    flag: '--host <address>',
    variable: 'ROOTWARD_HOST',
    group: 'HTTP:',
    description:
      'the address to listen on (default 127.0.0.1); an address that other machines can reach needs a token',
    read: ([text], origin) => ({ host: readHost(text, origin) }),
  },
  {
    flag: '--token <token>',
    variable: 'ROOTWARD_TOKEN',
    group: 'HTTP:',
    description:
      'the bearer token HTTP clients must send; repeatable, one for each client; safer with --token-file',
    separator: ',',
    read: (texts, origin) => ({ tokens: readTokens(texts, origin) }),
  },
  {
    flag: '--token-file <file>',
    variable: 'ROOTWARD_TOKEN_FILE',
    group: 'HTTP:',
    description: 'a file with bearer tokens, one on each line; other processes cannot see it',
    read: ([text], origin) => ({ tokenFile: readPath(text, origin) }),
  },
  {
    flag: '--insecure-no-token',
    variable: 'ROOTWARD_INSECURE_NO_TOKEN',
    group: 'HTTP:',
    description: 'let anyone on this machine connect over HTTP without a token',
    read: ([text], origin) => ({ insecureNoToken: readBoolean(text, origin) }),
  },
  {
    flag: '--public-url <url>',
    variable: 'ROOTWARD_PUBLIC_URL',
    group: 'HTTP:',
    description: 'the address clients use, where a proxy or balancer is in front',
    read: ([text], origin) => ({ publicUrl: readSecureUrl(text, origin) }),
  },
  {
    flag: '--oauth-issuer <url>',
    variable: 'ROOTWARD_OAUTH_ISSUER',
    group: 'HTTP:',
    description: 'accept access tokens of this OAuth 2.1 issuer, too',
    read: ([text], origin) => ({ oauthIssuer: readSecureUrl(text, origin) }),
  },
  {
    flag: '--oauth-audience <a>',
    variable: 'ROOTWARD_OAUTH_AUDIENCE',
    group: 'HTTP:',
    description: 'whom such a token must be made for (default: the public URL)',
    read: ([text]) => ({ oauthAudience: text }),
  },
  {
    flag: '--store <url>',
    variable: 'ROOTWARD_STORE',
    group: 'HTTP:',
    description: 'share sessions with other instances: redis://HOST, or @FILE with such a URL',
    read: ([text], origin) => readStore(text, origin),
  },
  {
    flag: '--limits <name=number>',
    variable: 'ROOTWARD_LIMITS',
    group: 'HTTP:',
    description:
      'what each principal may use: requests (per second), sessions, bytes (per minute); repeatable',
    separator: ',',
    read: (texts, origin) => ({ limits: readLimits(texts, origin) }),
  },
  {
    flag: '--config <file>',
    variable: 'ROOTWARD_CONFIG',
    group: 'Settings:',
    description: 'use this configuration file instead of the usual ones',
    read: ([text], origin) => ({ config: readPath(text, origin) }),
  },
  {
    flag: '--audit <file>',
    variable: 'ROOTWARD_AUDIT',
    group: 'Settings:',
    description: 'append every decision about a path to this file, as JSON lines',
    read: ([text], origin) => ({ audit: readPath(text, origin) }),
  },
  {
    flag: '--log-level <level>',
    variable: 'ROOTWARD_LOG_LEVEL',
    group: 'Settings:',
    choices: LOG_LEVELS,
    description: `${LOG_LEVELS.join(', ')} (default warn); logs go to stderr`,
    read: ([text], origin) => ({ logLevel: readChoice(text, LOG_LEVELS, origin) }),
  },
];

/** `--read-only` of `--read-only`, `--http` of `--http [port]`. */
export function flagName({ flag }: OptionSpec): string {
  return flag.split(' ', 1)[0] ?? flag;
}

/** `readOnly` of `--read-only`: the name under which the command line parser keeps it. */
export function attributeName(spec: OptionSpec): string {
  return flagName(spec)
    .slice('--'.length)
    .replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
