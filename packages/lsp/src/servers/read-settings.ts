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

type Setting = Readonly<Record<string, unknown>>;

/** Other arguments, or another program, may have other limits than those measured. */
function changedServer(
  { maxSymbols, ...base }: ServerDefinition,
  change: Partial<ServerDefinition>,
): ServerDefinition {
  const isOther = change.args !== undefined || change.commands !== undefined;
  return { ...base, ...(maxSymbols !== undefined && !isOther && { maxSymbols }), ...change };
}

function readOwn(name: string, setting: Setting): ServerDefinition {
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

function readCommon(name: string, setting: Setting): Partial<ServerDefinition> {
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

function readObject(option: string, value: unknown): Setting {
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

function isObject(value: unknown): value is Setting {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(option: string, expected: string, received: unknown): RootwardLspError {
  const got = JSON.stringify(received) ?? String(received);
  return new RootwardLspError(
    'invalid-option',
    `Cannot use ${option}: expected ${expected}, received ${got}`,
  );
}
