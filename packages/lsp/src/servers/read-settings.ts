import { isObject, type JsonObject } from '@rootward/core/platform';
import { RootwardLspError } from '../error.js';
import type { FolderKind, ServerDefinition } from './definition.js';
import { knownServers } from './known-servers.js';

const KINDS: readonly string[] = ['shared', 'per-root', 'file-driven'] satisfies FolderKind[];

/**
 * The servers to use, from the `languageServers` section of a configuration file: named ones are changed or switched off
 * (`false`), new ones come first.
 */
export function readServerSettings(
  value: unknown,
  known: readonly ServerDefinition[] = knownServers,
): readonly ServerDefinition[] {
  if (value === undefined) return known;
  if (!isObject(value)) throw invalid('languageServers', 'an object', value);
  const own: ServerDefinition[] = [];
  const changed = new Map<string, ServerDefinition | undefined>();
  for (const [name, setting] of Object.entries(value)) {
    const base = known.find((definition) => definition.name === name);
    if (setting === false) changed.set(name, undefined);
    else if (!isObject(setting)) throw invalid(`languageServers.${name}`, 'an object or false', setting);
    else if (base === undefined) own.push(readOwn(name, setting));
    else changed.set(name, changedServer(base, readCommon(name, setting)));
  }
  const rest = known.flatMap((definition) => {
    if (!changed.has(definition.name)) return [definition];
    const replacement = changed.get(definition.name);
    return replacement === undefined ? [] : [replacement];
  });
  return [...own, ...rest];
}

/** Other arguments, or another program, may have other limits than those measured, and be found under its own name. */
function changedServer(base: ServerDefinition, change: Partial<ServerDefinition>): ServerDefinition {
  const { maxSymbols, program, ...rest } = base;
  const isOther = change.args !== undefined || change.commands !== undefined;
  return {
    ...rest,
    ...(maxSymbols !== undefined && !isOther && { maxSymbols }),
    ...(program !== undefined && change.commands === undefined && { program }),
    ...change,
    ...(change.settings !== undefined && { settings: merged(base.settings ?? {}, change.settings) }),
    ...(change.environment !== undefined && { environment: { ...base.environment, ...change.environment } }),
    ...(isObject(base.initializationOptions) &&
      isObject(change.initializationOptions) && {
        initializationOptions: merged(base.initializationOptions, change.initializationOptions),
      }),
  };
}

/** What is set by the operator counts, and the rest stays: it keeps a server from the network and from other programs. */
function merged(base: JsonObject, change: JsonObject): JsonObject {
  const entries = Object.entries(change).map(([name, value]) => {
    const before = Object.hasOwn(base, name) ? base[name] : undefined;
    return [name, isObject(before) && isObject(value) ? merged(before, value) : value] as const;
  });
  return { ...base, ...Object.fromEntries(entries) };
}

function readOwn(name: string, setting: JsonObject): ServerDefinition {
  const common = readCommon(name, setting);
  if (common.commands === undefined) throw invalid(`languageServers.${name}.command`, 'a program', undefined);
  if (common.extensions === undefined) {
    throw invalid(`languageServers.${name}.extensions`, 'an object such as { ".x": "x" }', undefined);
  }
  const install = `check command of languageServers.${name} in rootward.json`;
  return {
    name,
    language: name,
    install,
    ...common,
    commands: common.commands,
    extensions: common.extensions,
  };
}

function readCommon(name: string, setting: JsonObject): Partial<ServerDefinition> {
  const at = (option: string): string => `languageServers.${name}.${option}`;
  const {
    command,
    args,
    extensions,
    folders,
    markers,
    settings,
    initializationOptions,
    environment,
    language,
  } = setting;
  return {
    ...(command !== undefined && { commands: [readText(at('command'), command)] }),
    ...(args !== undefined && { args: readTexts(at('args'), args) }),
    ...(extensions !== undefined && { extensions: readTextMap(at('extensions'), extensions) }),
    ...(folders !== undefined && { folders: readKind(at('folders'), folders) }),
    ...(markers !== undefined && { markers: readTexts(at('markers'), markers) }),
    ...(settings !== undefined && { settings: readObject(at('settings'), settings) }),
    ...(environment !== undefined && { environment: readTextMap(at('environment'), environment) }),
    ...(language !== undefined && { language: readText(at('language'), language) }),
    ...(initializationOptions !== undefined && { initializationOptions }),
  };
}

function readText(option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(option, 'a string', value);
}

function readTexts(option: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw invalid(option, 'a list of strings', value);
}

function readObject(option: string, value: unknown): JsonObject {
  if (isObject(value)) return value;
  throw invalid(option, 'an object', value);
}

function readTextMap(option: string, value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(readObject(option, value));
  return Object.fromEntries(entries.map(([key, item]) => [key, readText(`${option}.${key}`, item)]));
}

function readKind(option: string, value: unknown): FolderKind {
  if (value === 'shared' || value === 'per-root' || value === 'file-driven') return value;
  throw invalid(option, `one of ${KINDS.join(', ')}`, value);
}

function invalid(option: string, expected: string, received: unknown): RootwardLspError {
  const got = JSON.stringify(received) ?? String(received);
  return new RootwardLspError(
    'invalid-option',
    `Cannot use ${option}: expected ${expected}, received ${got}`,
  );
}
