import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ConfiguredRoots } from '@rootward/core';
import { errnoOf } from '@rootward/core/platform';
import { RootwardServerError } from '../error.js';
import { expandHome } from './expand-home.js';
import { describeJsonFault } from './json-fault.js';
import type { OptionValues } from './option-values.js';
import { DEFAULT_PORT } from './option-values.js';
import type { Origin } from './read-values.js';
import { readHost, readPath, readTokens, readToolEnvironment } from './read-values.js';

/** One `rootward.json` that is in force. */
export interface ConfigurationFile {
  /** Where it was looked for. */
  readonly file: string;
  /** Where it is, links resolved. */
  readonly canonical: string;
  readonly values: OptionValues;
  readonly deny: readonly string[];
  /** Undefined where it does not speak of roots. */
  readonly roots: ConfiguredRoots | undefined;
}

/** More is no configuration. */
const MAX_BYTES = 1024 * 1024;

/** Reads and checks a configuration file; undefined where there is none. Throws `configuration`, naming the culprit. */
export async function readConfigurationFile(
  file: string,
  home: string,
): Promise<ConfigurationFile | undefined> {
  let text: string;
  let canonical: string;
  try {
    canonical = await realpath(file);
    const stats = await stat(canonical);
    if (stats.isDirectory()) throw invalid(file, 'it is a folder; name the file in it');
    if (stats.size > MAX_BYTES)
      throw invalid(file, `${stats.size} bytes are more than the limit of ${MAX_BYTES}`);
    text = await readFile(canonical, 'utf8');
  } catch (error) {
    if (error instanceof RootwardServerError) throw error;
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw invalid(file, `the disk answered ${String(code ?? error)}`, error);
  }
  const value = parse(text, file);
  try {
    return { ...(await interpret(value, file, home)), file, canonical };
  } catch (error) {
    // What is wrong use of a flag is a broken file here.
    if (!(error instanceof RootwardServerError) || error.code !== 'usage') throw error;
    throw new RootwardServerError('configuration', error.message, { cause: error });
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw invalid(file, `it is not JSON (${describeJsonFault(text, error)})`, error);
  }
}

async function interpret(
  value: unknown,
  file: string,
  home: string,
): Promise<Pick<ConfigurationFile, 'values' | 'deny' | 'roots'>> {
  const { checkConfiguration } = await import('./check-configuration.js');
  const checked = checkConfiguration(value);
  if (!checked.ok) throw invalid(file, checked.problems.join('; '));
  const { roots, deny = [], token, http, ...given } = checked.configuration;
  const origin = (key: string): Origin => ({ name: `${key} in ${file}`, base: dirname(file), home });
  const path = (key: 'project' | 'audit'): Partial<OptionValues> => {
    const text = given[key];
    return text === undefined ? {} : { [key]: readPath(text, origin(key)) };
  };
  if (given.languageServers !== undefined) await checkServers(given.languageServers, file);
  return {
    values: {
      ...(given.toolsets !== undefined && { toolsets: given.toolsets }),
      ...(given.readOnly !== undefined && { readOnly: given.readOnly }),
      ...(given.clientRoots !== undefined && { clientRoots: given.clientRoots }),
      ...(given.languageServers !== undefined && { languageServers: given.languageServers }),
      ...(given.trustWorkspaceServers !== undefined && {
        trustWorkspaceServers: given.trustWorkspaceServers,
      }),
      ...(given.chdir !== undefined && { chdir: given.chdir }),
      ...(given.host !== undefined && { host: readHost(given.host, origin('host')) }),
      ...(given.insecureNoToken !== undefined && { insecureNoToken: given.insecureNoToken }),
      ...(given.logLevel !== undefined && { logLevel: given.logLevel }),
      ...(given.toolEnv !== undefined && {
        toolEnvironment: readToolEnvironment(given.toolEnv, origin('toolEnv')),
      }),
      ...path('project'),
      ...path('audit'),
      ...(given.within !== undefined && {
        within: given.within.map((text) => readPath(text, origin('within'))),
      }),
      ...(http !== undefined && { http: http === true ? DEFAULT_PORT : http }),
      ...(token !== undefined && { tokens: readTokens([token], { ...origin('token'), name: file }) }),
    },
    deny,
    roots:
      roots === undefined ? undefined : { file, roots: roots.map((root) => withHomeExpanded(root, home)) },
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
