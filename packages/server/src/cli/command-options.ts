import { Option, type Command } from 'commander';
import type { ParsedFlags } from '../settings/from-flags.js';
import { flagName, OPTIONS, type OptionSpec } from '../settings/values/options.js';
import { CLIENT_IDS } from '@rootward/core/platform';
import { SCOPES } from './install/clients/scopes.js';

/** As in the package that makes them; named here because it is loaded with the command. */
const CHANGE_POLICIES: readonly string[] = ['auto', 'notify', 'restart'];
/** What a wrapped server has no use for: it has tools of its own. */
const NOT_FOR_WRAP: ReadonlySet<string> = new Set([
  '--chdir',
  '--toolsets',
  '--tools',
  '--hide-tools',
  '--writable-project',
  '--project',
  '--register-hook',
  '--download-hosts',
  '--tool-env',
  '--ui-consent',
  '--oauth-issuer',
  '--oauth-audience',
  '--store',
  '--limits',
]);
export const WRAP_OPTIONS: readonly OptionSpec[] = OPTIONS.filter(
  (spec) => !NOT_FOR_WRAP.has(flagName(spec)),
);
export const STORE_OPTIONS: readonly OptionSpec[] = OPTIONS.filter((spec) =>
  ['--store', '--config'].includes(flagName(spec)),
);
/**
 * What decides about roots. The other options are accepted, so that the command line of a server can be reused, but not
 * shown.
 */
const DECIDES_ROOTS: ReadonlySet<string> = new Set([
  '--root',
  '--within',
  '--client-roots',
  '--read-only',
  '--project',
  '--writable-project',
  '--config',
  '--log-level',
]);
export function decidesRoots(spec: OptionSpec): boolean {
  return DECIDES_ROOTS.has(flagName(spec));
}
/** What a server here would find, and what it would write. */
export function decidesFindings(spec: OptionSpec): boolean {
  return decidesSandbox(spec) || ['--http', '--store', '--audit'].includes(flagName(spec));
}
/** Which changes are shown: no client, and nothing is changed. */
export function decidesHistory(spec: OptionSpec): boolean {
  return ['--root', '--within', '--project', '--config'].includes(flagName(spec));
}
export function decidesUndo(spec: OptionSpec): boolean {
  return decidesHistory(spec) || ['--read-only', '--writable-project', '--history'].includes(flagName(spec));
}
/** In the command `sandbox`, where `--level` says what `--sandbox` says elsewhere. */
export function decidesOwnSandbox(spec: OptionSpec): boolean {
  return decidesSandbox(spec) && flagName(spec) !== '--sandbox';
}
function decidesSandbox(spec: OptionSpec): boolean {
  return decidesRoots(spec) || spec.group === 'Sandbox:';
}
export const NAME_OPTION = ['--name <name>', 'what the client calls the server (default: rootward)'] as const;
export const JSON_OPTION = ['--json', 'print one JSON document, also for errors'] as const;
export const VERBOSE_OPTION = ['--verbose', 'also show every source of roots'] as const;

/** The flags with a string value that name a server. */
export function texts(
  flags: ParsedFlags,
): Readonly<Record<'client' | 'url' | 'token' | 'name', string | undefined>> {
  const text = (name: string): string | undefined => {
    const value = flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { client: text('client'), url: text('url'), token: text('token'), name: text('name') };
}

export function jsonOf(flags: ParsedFlags): { readonly json: boolean } {
  return { json: flags['json'] === true };
}

/** For help and completion; what is given is checked where it is read, where messages can name the nearest choice. */
export function offering(flag: string, description: string, choices: readonly string[] | undefined): Option {
  const option = new Option(flag, description);
  if (choices !== undefined) option.argChoices = [...choices];
  return option;
}

export function repeatable(flag: string, description: string): Option {
  const option = new Option(flag, description);
  option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
}

export function clientOption(): Option {
  return offering('--client <name>', `the client: ${CLIENT_IDS.join(', ')}`, CLIENT_IDS);
}

export function onChangeOption(): Option {
  const policies = CHANGE_POLICIES.join(', ');
  const description = `when the folders change: ${policies} (default auto)`;
  return offering('--on-change <policy>', description, CHANGE_POLICIES);
}

export function setEnvOption(): Option {
  return repeatable('--set-env <name=value>', 'set a variable of the server after --; repeatable');
}

export function scopeOption(): Option {
  return offering('--scope <scope>', 'project (the current directory) or user', SCOPES);
}

export function withOptions(
  command: Command,
  options: readonly OptionSpec[] = OPTIONS,
  isShown: (spec: OptionSpec) => boolean = () => true,
): Command {
  for (const spec of options) {
    const { flag, description, separator, choices, group } = spec;
    const option = offering(flag, description, choices).helpGroup(group).hideHelp(!isShown(spec));
    if (separator !== undefined) {
      option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
    }
    command.addOption(option);
  }
  return command;
}
