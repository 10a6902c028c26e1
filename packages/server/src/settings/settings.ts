import type { ClientRootsMode, ConfiguredRoots } from '@rootward/core';
import { RootwardServerError } from '../error.js';
import { MINIMAL, type EnvironmentMode } from './values/environment-mode.js';
import { DEFAULT_PORT } from './values/option-values.js';
import type { HttpLimits, LogLevel, OptionValues, ToolsetName } from './values/option-values.js';
import type { HistoryBounds, HistoryModeName } from './values/history-settings.js';
import type { ConfigurationFile } from './configuration-file.js';
import { readTokenFile } from './values/token-file.js';
import type { SandboxSettings } from './values/sandbox-settings.js';
import type { WrappedEntries } from './values/wrap-settings.js';

/** What only one of flag, environment and file can name at a time, and messages are about. */
const NAMED_ONCE = [
  'within',
  'project',
  'readOnly',
  'store',
  'limits',
  'publicUrl',
  'oauthIssuer',
  'oauthAudience',
] as const;
type NamedOnce = (typeof NAMED_ONCE)[number];

/** Where to listen for HTTP. */
export interface HttpPort {
  readonly port: number;
  /** Named by the operator. Clients are configured with it, so another one must not take its place. */
  readonly given: boolean;
}

/** Everything the server is told, from all places. */
export interface Settings {
  /** As given on the command line. */
  readonly roots: readonly string[];
  readonly within: readonly string[];
  readonly project: string | undefined;
  readonly writableProject: boolean;
  /** Whether `server.d/register.sh` of the tools project may run. */
  readonly registerHook: boolean | undefined;
  /** Hosts that executables may download from. */
  readonly downloadHosts: readonly string[] | undefined;
  /** Where these were named, for messages. */
  readonly origins: Readonly<Partial<Record<NamedOnce | 'roots', string>>>;
  readonly toolEnvironment: EnvironmentMode;
  readonly clientRoots: ClientRootsMode;
  /** Undefined for all. */
  readonly toolsets: readonly ToolsetName[] | undefined;
  /** Globs over the names of tools; undefined for all. */
  readonly tools: readonly string[] | undefined;
  readonly hideTools: readonly string[];
  readonly readOnly: boolean;
  readonly deny: readonly string[];
  readonly denyAbsolute: readonly string[];
  /** As the configuration file says; undefined for the known ones. */
  readonly languageServers: Readonly<Record<string, unknown>> | undefined;
  /** How many seconds a call waits for the folders of the client; undefined for what the library has. */
  readonly readyTimeout: number | undefined;
  /** Servers of others, by the prefix of their tools. */
  readonly wrap: WrappedEntries | undefined;
  /** Edits tell new problems where the call does not say. */
  readonly diagnostics: boolean;
  /** `write_file` replaces what changed since the session saw it. */
  readonly overwriteChanged: boolean;
  readonly trustWorkspaceServers: boolean;
  readonly chdir: boolean;
  /** Questions that a client cannot show may be answered on the page. */
  readonly uiConsent: boolean;
  /** Serve the page of this process. */
  readonly ui: boolean;
  /** Whether paths are in what goes to OpenTelemetry. */
  readonly telemetryPaths: boolean;
  /** Undefined for stdio. */
  readonly http: HttpPort | undefined;
  readonly host: string;
  readonly tokens: readonly string[];
  /** Where some of them come from. */
  readonly tokenFile: string | undefined;
  readonly insecureNoToken: boolean;
  /** As clients reach it, where something is in front. */
  readonly publicUrl: string | undefined;
  /** Whose access tokens are accepted, and whom they must be made for. */
  readonly oauth: { readonly issuer: string; readonly audience: readonly string[] } | undefined;
  /** Where sessions are shared with other instances. */
  readonly store: string | undefined;
  /** Where its URL was read from. */
  readonly storeFile: string | undefined;
  readonly limits: HttpLimits | undefined;
  readonly audit: string | undefined;
  readonly sandbox: SandboxSettings;
  readonly logLevel: LogLevel;
  readonly history: HistoryModeName;
  /** Whether what executables change is kept, too. */
  readonly historyExec: boolean;
  readonly historyBounds: HistoryBounds;
  /** `roots` of the configuration files, for core to read. */
  readonly configuredRoots: readonly ConfiguredRoots[];
  readonly files: readonly ConfigurationFile[];
}

const LOOPBACK = '127.0.0.1';
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set([LOOPBACK, 'localhost', '::1']);

export function isLoopback(host: string): boolean {
  return LOOPBACK_HOSTS.has(host.toLowerCase()) || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Command line over environment over files, the first file over the next. What denies adds up over all files. Throws
 * `usage` where what was given does not go together.
 */
export function settle(
  flags: OptionValues,
  environment: OptionValues,
  files: readonly ConfigurationFile[],
): Settings {
  const layers = [...files.map(({ values }) => values).reverse(), environment, flags];
  const given: OptionValues = Object.assign({}, ...layers);
  const settings: Settings = {
    roots: flags.roots ?? [],
    within: given.within ?? [],
    project: given.project,
    writableProject: given.writableProject ?? false,
    registerHook: given.registerHook,
    downloadHosts: given.downloadHosts,
    origins: {
      ...(flags.rootsOrigin !== undefined && { roots: flags.rootsOrigin }),
      ...Object.assign({}, ...NAMED_ONCE.map((key) => originOf(key, flags, environment, files))),
    },
    toolEnvironment: given.toolEnvironment ?? MINIMAL,
    clientRoots: given.clientRoots ?? 'replace',
    toolsets: given.toolsets,
    tools: given.tools,
    hideTools: given.hideTools ?? [],
    readOnly: given.readOnly ?? false,
    deny: files.flatMap(({ deny }) => deny),
    denyAbsolute: files.flatMap(({ denyAbsolute }) => denyAbsolute),
    languageServers: given.languageServers,
    readyTimeout: given.readyTimeout,
    wrap: given.wrap,
    diagnostics: given.diagnostics ?? false,
    overwriteChanged: given.overwriteChanged ?? false,
    trustWorkspaceServers: given.trustWorkspaceServers ?? false,
    chdir: given.chdir ?? false,
    uiConsent: given.uiConsent ?? false,
    ui: given.ui ?? false,
    telemetryPaths: given.telemetryPaths ?? false,
    http: httpPort(given.http),
    host: given.host ?? LOOPBACK,
    ...tokensOf([flags, environment, ...files.map(({ values }) => values)]),
    insecureNoToken: given.insecureNoToken ?? false,
    publicUrl: given.publicUrl,
    oauth: oauthOf(given),
    ...storeOf([flags, environment, ...files.map(({ values }) => values)]),
    limits: given.limits,
    audit: given.audit,
    sandbox: {
      ...given.sandboxGrants,
      level: given.sandboxLevel,
      require: given.sandboxRequire,
      backend: given.sandboxBackend,
      network: given.sandboxNetwork ?? false,
    },
    logLevel: given.logLevel ?? 'warn',
    history: given.history ?? 'best-effort',
    historyExec: given.historyExec ?? false,
    historyBounds: given.historyBounds ?? {},
    configuredRoots: files.flatMap(({ roots }) => (roots === undefined ? [] : [roots])),
    files,
  };
  refuseContradictions(settings);
  return settings;
}

/** Those of the strongest layer that names any: a token of another layer would let in whom the operator did not mean. */
function tokensOf(layers: readonly OptionValues[]): Pick<Settings, 'tokens' | 'tokenFile'> {
  const layer = layers.find(({ tokens, tokenFile }) => tokens !== undefined || tokenFile !== undefined);
  const { tokens = [], tokenFile } = layer ?? {};
  const kept = tokenFile === undefined ? [] : readTokenFile(tokenFile);
  return { tokens: [...tokens, ...kept], tokenFile };
}

function storeOf(layers: readonly OptionValues[]): Pick<Settings, 'store' | 'storeFile'> {
  const { store, storeFile } = layers.find((layer) => layer.store !== undefined) ?? {};
  return { store, storeFile };
}

/** Without an audience, a token that was made for any other service of the issuer would do. */
function oauthOf({ oauthIssuer: issuer, oauthAudience, publicUrl }: OptionValues): Settings['oauth'] {
  if (issuer === undefined) return undefined;
  if (oauthAudience !== undefined && oauthAudience !== '') return { issuer, audience: [oauthAudience] };
  if (oauthAudience === undefined && publicUrl !== undefined) {
    return { issuer, audience: spellingsOf(publicUrl) };
  }
  throw new RootwardServerError(
    'usage',
    'Cannot use --oauth-issuer alone: say whom its tokens must be made for, with --public-url or --oauth-audience',
  );
}

/** Clients ask for a token with the address as they write it, in lower case and with or without a path of nothing. */
function spellingsOf(url: string): readonly string[] {
  const { href, origin, pathname } = new URL(url);
  return [...new Set([url, href, ...(pathname === '/' ? [origin] : [])])];
}

function httpPort(http: OptionValues['http']): HttpPort | undefined {
  if (http === undefined || http === false) return undefined;
  return http === true ? { port: DEFAULT_PORT, given: false } : { port: http, given: true };
}

/** The strongest place that sets the option, for messages; an empty object if none does. */
function originOf(
  key: NamedOnce,
  flags: OptionValues,
  environment: OptionValues,
  files: readonly ConfigurationFile[],
): Settings['origins'] {
  const flag = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (flags[key] !== undefined) return { [key]: `--${flag}` };
  if (environment[key] !== undefined) return { [key]: `ROOTWARD_${flag.replaceAll('-', '_').toUpperCase()}` };
  const named = files.find(({ values }) => values[key] !== undefined);
  return named === undefined ? {} : { [key]: `"${key}" in ${named.file}` };
}

function refuseContradictions({ chdir, http, host, tokens, insecureNoToken, oauth }: Settings): void {
  if (http === undefined) return;
  if (chdir) {
    throw new RootwardServerError(
      'usage',
      'Cannot use --chdir with --http: one process serves several clients, and they would move it in turn',
    );
  }
  if (insecureNoToken && (tokens.length > 0 || oauth !== undefined)) {
    throw new RootwardServerError('usage', 'Cannot use --insecure-no-token with a token: choose one');
  }
  if (!isLoopback(host) && tokens.length === 0 && oauth === undefined) {
    throw new RootwardServerError(
      'usage',
      `Cannot listen on ${JSON.stringify(host)}: an address that other machines can reach needs a token (--token-file, ROOTWARD_TOKEN or --token) or an issuer of tokens (--oauth-issuer)`,
    );
  }
}
