import { isAbsolute } from 'node:path';
import { isObject, suggest } from '@rootward/core/platform';
import { RootwardMcpError } from '../error.js';
import type { WorkspaceOptions } from './workspace-options.js';

/** What an option must be, in words that follow "it must be". */
type Expected = readonly [words: string, fits: (value: unknown) => boolean];

const TEXT: Expected = ['a string', (value) => typeof value === 'string'];
const OBJECT: Expected = ['an object', isObject];
const LIST: Expected = ['an array', (value) => Array.isArray(value)];
const TEXTS: Expected = [
  'an array of strings',
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
];
const FUNCTION: Expected = ['a function', (value) => typeof value === 'function'];

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function oneOf(...values: readonly string[]): Expected {
  const quoted = values.map((value) => `"${value}"`);
  return [
    `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1) ?? ''}`,
    (value) => typeof value === 'string' && values.includes(value),
  ];
}

/** Every option, so that a new one cannot be forgotten here. */
const EXPECTED: Readonly<Record<keyof WorkspaceOptions, Expected>> = {
  roots: TEXTS,
  directory: TEXT,
  cwd: TEXT,
  program: TEXT,
  hints: ['true or false', (value) => typeof value === 'boolean'],
  badRoots: oneOf('skip', 'fail'),
  project: TEXT,
  config: LIST,
  within: TEXTS,
  rootsVariable: [
    'an object with a name, and a separator or none',
    (value) =>
      isObject(value) &&
      isText(value['name']) &&
      (value['separator'] === undefined || isText(value['separator'])),
  ],
  kinds: [
    'a list of "directory" and "file"',
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((each) => each === 'directory' || each === 'file'),
  ],
  onRefusal: FUNCTION,
  origins: OBJECT,
  clientRoots: oneOf('replace', 'add', 'ignore'),
  environment: OBJECT,
  home: TEXT,
  style: oneOf('posix', 'windows'),
  disk: OBJECT,
  log: OBJECT,
  sources: OBJECT,
  createScope: FUNCTION,
  denyAbsolute: TEXTS,
  limits: OBJECT,
  clock: OBJECT,
  handleKey: ['a string or bytes', (value) => typeof value === 'string' || value instanceof Uint8Array],
  handleArgument: [
    'a string or false',
    (value) => value === false || (typeof value === 'string' && value !== ''),
  ],
  revocations: OBJECT,
  onWorkspace: FUNCTION,
  onCaller: FUNCTION,
  history: [
    'true, false or a function',
    (value) => typeof value === 'boolean' || typeof value === 'function',
  ],
};

/** Throws `invalid-option` for what the compiler would refuse: a plain JavaScript author has no compiler. */
export function checkOptions(options: unknown): void {
  if (!isObject(options))
    throw invalidOption('Cannot use the options of a workspace: they are not an object');
  const known = Object.keys(EXPECTED);
  for (const [name, value] of Object.entries(options)) {
    if (!isKnown(name)) {
      throw invalidOption(`Cannot use the option "${name}": it does not exist${suggest(name, known)}`);
    }
    const [words, fits] = EXPECTED[name];
    if (value !== undefined && !fits(value)) {
      throw invalidOption(`Cannot use ${describe(value)} as the option "${name}": it must be ${words}`);
    }
  }
}

/** Where both are given, one would silently win. */
export function checkDenials({ createScope, denyAbsolute = [] }: WorkspaceOptions): void {
  if (createScope !== undefined && denyAbsolute.length > 0) {
    throw invalidOption(
      'Cannot use the options "createScope" and "denyAbsolute" together: put denyAbsolute into the rules of the scope',
    );
  }
  const relative = denyAbsolute.find((path) => !isAbsolute(path));
  if (relative !== undefined) {
    throw invalidOption(`Cannot deny ${JSON.stringify(relative)}: it is not an absolute path`);
  }
}

export function invalidOption(message: string): RootwardMcpError {
  return new RootwardMcpError('invalid-option', message);
}

function isKnown(name: string): name is keyof WorkspaceOptions {
  return Object.hasOwn(EXPECTED, name);
}

const MAX_SHOWN = 60;

function describe(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
