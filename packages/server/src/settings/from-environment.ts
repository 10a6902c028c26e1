import { RootwardServerError } from '../error.js';
import { nearestMatch, PROGRAM_FOLDERS_VARIABLE } from '@rootward/core/platform';
import type { OptionValues } from './values/option-values.js';
import { OPTIONS } from './values/options.js';

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'ROOTWARD_';
/** Signs handles; read where handles are made. */
export const HANDLE_KEY_VARIABLE = 'ROOTWARD_HANDLE_KEY';
/** Read where backends are looked for. */
const BACKENDS_VARIABLE = 'ROOTWARD_SANDBOX_BACKENDS';
/** It may hold a password. */
export const STORE_VARIABLE = 'ROOTWARD_STORE';
export const TOKEN_VARIABLE = 'ROOTWARD_TOKEN';
/** A source of roots with its own place in their order, not a lesser kind of flag. */
const ROOTS_VARIABLE = 'ROOTWARD_ROOTS';

/**
 * What the environment says. An empty variable counts as absent, since many hosts cannot leave one out; a
 * blank one does not.
 */
export function fromEnvironment(environment: Environment): OptionValues {
  const given = OPTIONS.map(({ variable, separator, read }): OptionValues => {
    const text = environment[variable];
    if (text === undefined || text === '' || variable === ROOTS_VARIABLE) return {};
    const texts = separator === undefined ? [text] : text.split(separator).map((part) => part.trim());
    const [first, ...rest] = texts.filter((part) => part.trim() !== '');
    if (first === undefined) throw namesNothing(text, variable);
    return read([first, ...rest], { name: variable, base: undefined });
  });
  return Object.assign({}, ...given);
}

/** Most likely made of variables that are not set. A ceiling that is lost without a word would open everything. */
function namesNothing(text: string, variable: string): RootwardServerError {
  return new RootwardServerError(
    'usage',
    `Cannot use ${JSON.stringify(text)} as ${variable}: it names nothing; leave it empty for none`,
  );
}

/** Variables that look like ours and are not, most likely mistyped. */
export function unknownVariables(environment: Environment): readonly string[] {
  const known = [
    ...OPTIONS.map(({ variable }) => variable),
    HANDLE_KEY_VARIABLE,
    BACKENDS_VARIABLE,
    PROGRAM_FOLDERS_VARIABLE,
  ];
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      const match = nearestMatch(name, known);
      return match === undefined
        ? `${name} means nothing here`
        : `${name} means nothing here; did you mean ${match}?`;
    });
}
