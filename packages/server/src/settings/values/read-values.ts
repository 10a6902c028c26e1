import { isAbsolute } from 'node:path';
import { RootwardServerError } from '../../error.js';
import { readEnvironmentMode, type EnvironmentMode } from './environment-mode.js';
import { pathBelow } from './path-below.js';
import { TOOLSET_NAMES, type ToolsetName } from './option-values.js';
import { expandHome, suggest } from '@rootward/core/platform';

/** Where a text stands, for messages, and what paths in it are relative to. */
export interface Origin {
  readonly name: string;
  /** Undefined where relative paths have no meaning, as in the environment. */
  readonly base: string | undefined;
  /** What `~` means; undefined where it is a name like any other. */
  readonly home?: string;
}

const TRUE: ReadonlySet<string> = new Set(['true', '1', 'yes', 'on']);
const FALSE: ReadonlySet<string> = new Set(['false', '0', 'no', 'off']);
const MAX_PORT = 65_535;
/** The characters a bearer token may have (RFC 6750); anything else would not survive a header. */
const TOKEN = /^[\w.~+/-]+=*$/;
/** Shorter ones can be guessed over a network. */
const MIN_TOKEN_LENGTH = 16;

export function readBoolean(text: string, { name }: Origin): boolean {
  const value = text.trim().toLowerCase();
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  throw unusable(text, name, 'expected true or false');
}

export function readChoice<Choice extends string>(
  text: string,
  choices: readonly Choice[],
  { name }: Origin,
): Choice {
  const choice = choices.find((each) => each === text.trim());
  if (choice !== undefined) return choice;
  throw unusable(text, name, `expected ${choices.join(', ')}${suggest(text, choices)}`);
}

/** Names, or globs for names, comma-separated. */
export function readNames(
  texts: readonly string[],
  { name }: Origin,
  expected = 'names of tools, or globs',
): readonly string[] {
  const names = texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
  // Most likely a variable of a shell that is not set; with hardly any tools nobody would know why.
  if (names.length === 0) throw unusable(texts.join(','), name, `expected ${expected}`);
  return names;
}

export function readToolsets(texts: readonly string[], origin: Origin): readonly ToolsetName[] {
  const names = readNames(texts, origin, TOOLSET_NAMES.join(', '));
  return [...new Set(names)].map((text) => readChoice(text, TOOLSET_NAMES, origin));
}

export function readToolEnvironment(text: string, { name }: Origin): EnvironmentMode {
  const mode = readEnvironmentMode(text.trim());
  if (mode !== undefined) return mode;
  throw unusable(text, name, 'expected minimal, inherit, or allow: followed by comma-separated names');
}

/** The port to listen on: `true` stands for the default one, `false` for none. */
export function readPort(text: string, { name }: Origin): number | boolean {
  const value = text.trim().toLowerCase();
  if (value === 'true') return true;
  if (value === 'false') return false;
  const port = Number(value);
  if (/^\d{1,5}$/.test(value) && port <= MAX_PORT) return port;
  const isNumber = /^-?\d+$/.test(value);
  const hint =
    name === '--http' && value !== '' && !isNumber ? '; a folder to serve is written in front of --http' : '';
  throw unusable(text, name, `expected a port from 0 to ${MAX_PORT}${hint}`);
}

/** A number of seconds, at most `max`. */
export function readSeconds(text: string, { name }: Origin, max: number): number {
  const value = text.trim();
  const seconds = Number(value);
  if (/^\d+(?:\.\d+)?$/.test(value) && seconds <= max) return seconds;
  throw unusable(text, name, `expected a number of seconds from 0 to ${max}`);
}

/** The address to listen on. An IPv6 address may stand in brackets, as in a URL. */
export function readHost(text: string, { name }: Origin): string {
  // Most likely a variable of a shell that is not set; the system would take it for every address there is.
  if (!/[^\s[\]]/.test(text)) throw unusable(text, name, 'expected an address, such as 127.0.0.1');
  return text.trim().replace(/^\[(.*)\]$/, '$1');
}

export function readTokens(texts: readonly string[], { name }: Origin): readonly string[] {
  return texts.map((text) => {
    // A secret that is almost right must not appear in a message.
    if (!TOKEN.test(text)) {
      throw refuse(`Cannot use the token of ${name}: it holds characters that no header can carry`);
    }
    if (text.length < MIN_TOKEN_LENGTH) {
      throw refuse(`Cannot use the token of ${name}: it is shorter than ${MIN_TOKEN_LENGTH} characters`);
    }
    return text;
  });
}

/** A relative path is put below its base as it stands, so that `..` after a link is resolved by the disk. */
export function readPath(given: string, { name, base, home }: Origin): string {
  if (given.trim() === '') throw unusable(given, name, 'expected a path');
  if (given.includes('\0')) throw unusable(given, name, 'it has a NUL character, which no path has');
  const text = home === undefined ? given : expandHome(given, home);
  if (isAbsolute(text)) return text;
  if (base === undefined) throw unusable(text, name, 'expected an absolute path');
  return pathBelow(base, text);
}

function unusable(text: string, name: string, state: string): RootwardServerError {
  return refuse(`Cannot use ${JSON.stringify(text)} as ${name}: ${state}`);
}

function refuse(message: string): RootwardServerError {
  return new RootwardServerError('usage', message);
}
