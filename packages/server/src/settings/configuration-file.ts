import { existsSync, lstatSync, readFile, realpath, stat } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ConfiguredRoots } from '@rootward/core';
import { expandHome, errnoOf } from '@rootward/core/platform';
import { RootwardServerError } from '../error.js';
import type { WantedLevel } from '@rootward/sandbox';
import type { OptionValues } from './values/option-values.js';
import { parseJsonFile } from './parse-json.js';
import { readSecureUrl, readStore } from './values/http-settings.js';
import { readHost, readPath, readTokens, readToolEnvironment, type Origin } from './values/read-values.js';
import { readGrants, type WrittenSandbox } from './values/sandbox-settings.js';
import type { Configuration } from './check-configuration.js';

/** One `rootward.json` that is in force. */
export interface ConfigurationFile {
  /** Where it was looked for. */
  readonly file: string;
  /** Where it is, links resolved. */
  readonly canonical: string;
  readonly values: OptionValues;
  readonly deny: readonly string[];
  readonly denyAbsolute: readonly string[];
  /** Undefined if it has no `roots`. */
  readonly roots: ConfiguredRoots | undefined;
}

/** A larger file is not a configuration. */
const MAX_BYTES = 1024 * 1024;

/** Reads and checks a configuration file; undefined where there is none. Throws `configuration`, naming the culprit. */
export async function readConfigurationFile(
  file: string,
  home: string,
): Promise<ConfigurationFile | undefined> {
  let text: string;
  let canonical: string;
  try {
    // A disk may be slow, and whoever waits is told so. `node:fs/promises` takes longer to load than a file to be read.
    canonical = await promisify(realpath.native)(file);
    const stats = await promisify(stat)(canonical);
    if (stats.isDirectory())
      throw invalid(file, `it is a folder; name the file, as in ${join(file, 'rootward.json')}`);
    if (stats.size > MAX_BYTES)
      throw invalid(file, `${stats.size} bytes are more than the limit of ${MAX_BYTES}`);
    text = await promisify(readFile)(canonical, 'utf8');
  } catch (error) {
    if (error instanceof RootwardServerError) throw error;
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      const link = findDanglingLink(file);
      if (link === undefined) return undefined;
      throw invalid(file, `${link === file ? 'it' : link} is a link to something that does not exist`, error);
    }
    if (code === 'EACCES' || code === 'EPERM') throw invalid(file, 'you have no permission', error);
    throw invalid(file, `the disk answered ${String(code ?? error)}`, error);
  }
  const parsed = parseJsonFile(text);
  if ('problem' in parsed) throw invalid(file, parsed.problem);
  try {
    return { ...(await interpret(parsed.value, file, home)), file, canonical };
  } catch (error) {
    // What is wrong use of a flag is a broken file here.
    if (!(error instanceof RootwardServerError) || error.code !== 'usage') throw error;
    throw new RootwardServerError('configuration', error.message, { cause: error });
  }
}

/** A link on the way to a file, or the file itself, whose target does not exist: most likely a disk that is not there yet. */
export function findDanglingLink(file: string): string | undefined {
  for (let path = file; ; path = dirname(path)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined) return found.isSymbolicLink() && !existsSync(path) ? path : undefined;
    if (dirname(path) === path) return undefined;
  }
}

async function interpret(
  value: unknown,
  file: string,
  home: string,
): Promise<Omit<ConfigurationFile, 'file' | 'canonical'>> {
  const { checkConfiguration } = await import('./check-configuration.js');
  const checked = checkConfiguration(value);
  if (!checked.ok) throw invalid(file, checked.problems.join('; '));
  const {
    roots,
    deny = [],
    denyAbsolute = [],
    token,
    http,
    host,
    toolEnv,
    project,
    audit,
    tokenFile,
    publicUrl,
    oauthIssuer,
    store,
    within,
    sandbox,
    history,
    ...plain
  } = checked.configuration;
  const origin = (key: string): Origin => ({ name: `${key} in ${file}`, base: dirname(file), home });
  if (plain.languageServers !== undefined) await checkServers(plain.languageServers, file);
  return {
    values: {
      ...plain,
      ...sandboxValues(sandbox, origin('sandbox')),
      ...(host !== undefined && { host: readHost(host, origin('host')) }),
      ...(toolEnv !== undefined && { toolEnvironment: readToolEnvironment(toolEnv, origin('toolEnv')) }),
      ...(project !== undefined && { project: readPath(project, origin('project')) }),
      ...(audit !== undefined && { audit: readPath(audit, origin('audit')) }),
      ...(tokenFile !== undefined && { tokenFile: readPath(tokenFile, origin('tokenFile')) }),
      ...(publicUrl !== undefined && { publicUrl: readSecureUrl(publicUrl, origin('publicUrl')) }),
      ...(oauthIssuer !== undefined && { oauthIssuer: readSecureUrl(oauthIssuer, origin('oauthIssuer')) }),
      ...(store !== undefined && readStore(store, origin('store'))),
      ...(within !== undefined && { within: within.map((text) => readPath(text, origin('within'))) }),
      ...(http !== undefined && { http }),
      ...historyOf(history),
      ...(token !== undefined && { tokens: readTokens([token], { ...origin('token'), name: file }) }),
    },
    deny,
    denyAbsolute: denyAbsolute.map((text) => readPath(text, origin('denyAbsolute'))),
    roots:
      roots === undefined ? undefined : { file, roots: roots.map((root) => withHomeExpanded(root, home)) },
  };
}

function sandboxValues(written: WantedLevel | WrittenSandbox | undefined, origin: Origin): OptionValues {
  if (written === undefined) return {};
  const given = typeof written === 'string' ? { level: written } : written;
  const { level, require, backend, network } = given;
  return {
    sandboxGrants: readGrants(given, (text) => readPath(text, origin)),
    ...(level !== undefined && { sandboxLevel: level }),
    ...(require !== undefined && { sandboxRequire: require }),
    ...(backend !== undefined && { sandboxBackend: backend }),
    ...(network !== undefined && { sandboxNetwork: network }),
  };
}

function historyOf(given: Configuration['history']): OptionValues {
  if (given === undefined) return {};
  if (typeof given === 'string') return { history: given };
  const { mode, exec, ...historyBounds } = given;
  return {
    ...(mode !== undefined && { history: mode }),
    ...(exec !== undefined && { historyExec: exec }),
    historyBounds,
  };
}

/** Which settings a server needs, its library knows. It would otherwise be heard of with the first question about code. */
async function checkServers(servers: unknown, file: string): Promise<void> {
  const { readServerSettings, RootwardLspError } = await import('@rootward/lsp');
  try {
    readServerSettings(servers);
  } catch (error) {
    if (!(error instanceof RootwardLspError)) throw error;
    throw invalid(file, error.message.replace(/^Cannot use (\S+): /, '"$1": '), error);
  }
}

/** Whatever else is wrong with an entry is found out where roots are read. */
function withHomeExpanded(root: unknown, home: string): unknown {
  if (typeof root === 'string') return expandHome(root, home);
  if (typeof root !== 'object' || root === null || !('path' in root)) return root;
  return typeof root.path === 'string' ? { ...root, path: expandHome(root.path, home) } : root;
}

function invalid(file: string, state: string, cause?: unknown): RootwardServerError {
  return new RootwardServerError('configuration', `Cannot use ${file}: ${state}`, { cause });
}
