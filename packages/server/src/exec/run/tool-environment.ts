import { realpathSync } from 'node:fs';
import { delimiter } from 'node:path';
import { hostPathStyle, type Root } from '@rootward/core';
import { isWorkspaceProgram, pathOutside } from '@rootward/core/platform';
import type { EnvironmentMode } from '../../settings/values/environment-mode.js';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ToolCallFacts {
  readonly name: string;
  readonly file: string;
  readonly metadataJson: string;
  readonly argsJson: string;
  /** What the client sent along with the call; undefined for nothing. */
  readonly metaJson?: string | undefined;
  readonly client?: ClientAbilities | undefined;
  /** Hosts that tools may download from. */
  readonly downloadHosts?: readonly string[] | undefined;
  readonly roots: DescribedRoots;
  readonly project: string;
  /** The folder with the shell library. */
  readonly sdk: string;
  /** The folder for what belongs to this call alone, and the start of names in it. */
  readonly filePrefix: string;
  /** Marks the lines of the channel, which share a pipe with the error output. */
  readonly channelTag: string;
  /** jq or gojq, where there is one. */
  readonly jsonTool: string | undefined;
  /** What runs helpers of the libraries that are written in Node. */
  readonly node: string;
}

/** What a tool may ask of the client of a call. */
export interface ClientAbilities {
  /** It can ask its user something. */
  readonly asks: boolean;
  /** It shows pages of tools (MCP Apps). */
  readonly showsPages: boolean;
}

export interface ToolEnvironment {
  readonly variables: Record<string, string>;
  /** What is too long for a variable, by file name. To be written before the tool starts. */
  readonly files: ReadonlyMap<string, string>;
  /** The tool says here that it failed. */
  readonly errorFile: string;
  /** The tool puts files that go along with its answer here. */
  readonly resourcesFile: string;
  /** The start of the names of files with answers to its questions. */
  readonly answerFile: string;
  /** Exists from the moment the call was cancelled. */
  readonly cancelFile: string;
  /** Marks the lines of the channel. */
  readonly channelTag: string;
}

/** Linux refuses to start a program with one string over 128 KiB; half of it leaves room whatever the encoding. */
const MAX_VARIABLE_BYTES = 64 * 1024;
/** Where tools send progress and log lines; a number that scripts rarely use for themselves. */
export const CHANNEL_FD = 7;
/** Secrets that give access to the server. No tool sees them, in any letter case, because Windows ignores case. */
const SECRETS: ReadonlySet<string> = new Set(['ROOTWARD_TOKEN', 'ROOTWARD_HANDLE_KEY', 'ROOTWARD_STORE']);
const ALWAYS = ['PATH', 'HOME', 'TMPDIR', 'LANG'];
/** Without these, programs do not even start on Windows. */
const ALWAYS_ON_WINDOWS = ['Path', 'PATHEXT', 'SystemRoot', 'ComSpec', 'TEMP', 'TMP', 'USERPROFILE'];
const WORKSPACE_BIN = /[\\/]node_modules[\\/]\.bin/;
const PREFIXES = /^(?:MCP|MCPBASH)_/;
/** Set for each call; values from the environment of the server must not reach the tool. */
const OWN =
  /^(?:MCP_(?:SDK|CHANNEL_(?:FD|TAG)|CANCEL_FILE|NODE_BIN|DOWNLOAD_HOSTS|ELICIT_.*|TOOL_.*|ROOTS_(?:JSON|PATHS|COUNT|JSON_FILE|PATHS_FILE))|MCPBASH_CLIENT_SUPPORTS_UI)$/;

/** Everything a tool is started with: what it inherits, and what belongs to the call. Pure. */
export function toolEnvironment(inherited: InheritedVariables, call: ToolCallFacts): ToolEnvironment {
  const { roots } = call;
  const variables: Record<string, string> = { ...inherited.variables, ...pathOf(roots.path) };
  const files = new Map<string, string>();
  const put = (name: string, fileVariable: string, suffix: string, value: string): void => {
    if (Buffer.byteLength(value) <= MAX_VARIABLE_BYTES) {
      variables[name] = value;
      return;
    }
    const file = call.filePrefix + suffix;
    files.set(file, value);
    variables[fileVariable] = file;
  };
  const errorFile = `${call.filePrefix}error.json`;
  const cancelFile = `${call.filePrefix}cancelled`;
  const resourcesFile = `${call.filePrefix}resources.json`;
  const answerFile = `${call.filePrefix}answer`;
  Object.assign(variables, {
    MCP_SDK: call.sdk,
    MCP_TOOL_NAME: call.name,
    MCP_TOOL_PATH: call.file,
    MCP_TOOL_ERROR_FILE: errorFile,
    MCP_CANCEL_FILE: cancelFile,
    MCP_TOOL_RESOURCES_FILE: resourcesFile,
    MCP_ELICIT_SUPPORTED: call.client?.asks === true ? '1' : '0',
    MCP_ELICIT_RESPONSE_FILE: answerFile,
    MCPBASH_CLIENT_SUPPORTS_UI: call.client?.showsPages === true ? '1' : '0',
    MCP_DOWNLOAD_HOSTS: (call.downloadHosts ?? []).join(','),
    MCP_NODE_BIN: call.node,
    MCP_CHANNEL_FD: String(CHANNEL_FD),
    MCP_CHANNEL_TAG: call.channelTag,
    MCPBASH_PROJECT_ROOT: call.project,
    MCP_ROOTS_COUNT: String(roots.list.length),
  });
  if (call.jsonTool === undefined) delete variables['MCPBASH_JSON_TOOL_BIN'];
  else variables['MCPBASH_JSON_TOOL_BIN'] = call.jsonTool;
  put('MCP_TOOL_ARGS_JSON', 'MCP_TOOL_ARGS_FILE', 'args.json', call.argsJson);
  put('MCP_TOOL_METADATA_JSON', 'MCP_TOOL_METADATA_FILE', 'metadata.json', call.metadataJson);
  if (call.metaJson !== undefined) {
    put('MCP_TOOL_META_JSON', 'MCP_TOOL_META_FILE', 'meta.json', call.metaJson);
  }
  put('MCP_ROOTS_JSON', 'MCP_ROOTS_JSON_FILE', 'roots.json', roots.json);
  put('MCP_ROOTS_PATHS', 'MCP_ROOTS_PATHS_FILE', 'roots.txt', roots.paths);
  return {
    variables,
    files,
    errorFile,
    cancelFile,
    resourcesFile,
    answerFile,
    channelTag: call.channelTag,
  };
}

/** What tools inherit from the server; the same for all calls. */
export interface InheritedVariables {
  /** Without `PATH`, which depends on the roots of a call. */
  readonly variables: Readonly<Record<string, string>>;
  readonly path: string | undefined;
  /** Whether programs of the workspace may be on `PATH`: the operator asked for everything as it is. */
  readonly wholePath: boolean;
}

export function inheritedVariables(server: Variables, mode: EnvironmentMode): InheritedVariables {
  const names = mode.kind === 'inherit' ? Object.keys(server) : minimalNames(server, mode);
  const variables: Record<string, string> = {};
  for (const name of names) {
    const value = server[name];
    if (value !== undefined && !SECRETS.has(name.toUpperCase()) && !OWN.test(name)) variables[name] = value;
  }
  const { PATH: path, ...others } = variables;
  return { variables: others, path, wholePath: mode.kind === 'inherit' };
}

function minimalNames(server: Variables, mode: EnvironmentMode): readonly string[] {
  return [
    ...ALWAYS,
    ...(hostPathStyle === 'windows' ? ALWAYS_ON_WINDOWS : []),
    ...Object.keys(server).filter((name) => PREFIXES.test(name)),
    ...(mode.kind === 'allow' ? mode.names : []),
  ];
}

/**
 * The `PATH` of tools in these roots. Opening a folder must not choose what `grep` is: `npx` puts the
 * workspace's own `node_modules/.bin` first. A broad root may hold the whole system; of that, it is the programs of its
 * projects that are left out.
 */
export function pathFor({ path, wholePath }: InheritedVariables, roots: readonly Root[]): string | undefined {
  if (path === undefined || wholePath) return path;
  const broad = roots.filter((root) => root.broad);
  const isOfProject = (folder: string): boolean =>
    WORKSPACE_BIN.test(folder) && isWorkspaceProgram(canonicalOr(folder), broad);
  const kept = path.split(delimiter).filter((folder) => !isOfProject(folder));
  return pathOutside(
    kept.join(delimiter),
    roots.filter((root) => !root.broad),
  );
}

/** Without any, programs look where the system has them; an empty one would mean the current directory. */
function pathOf(path: string | undefined): { readonly PATH?: string } {
  return path === undefined ? {} : { PATH: path };
}

function canonicalOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Roots as tools see them. */
export interface DescribedRoots {
  readonly list: readonly Root[];
  readonly json: string;
  readonly paths: string;
  /** The `PATH` of tools there. */
  readonly path: string | undefined;
}

export function describeRoots(roots: readonly Root[], inherited: InheritedVariables): DescribedRoots {
  return {
    list: roots,
    path: pathFor(inherited, roots),
    json: JSON.stringify(roots.map(({ uri, name, path }) => ({ uri, name, path }))),
    paths: roots.map(({ path }) => path).join('\n'),
  };
}
