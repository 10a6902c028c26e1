import ignore from 'ignore';
import type { Ignore } from 'ignore';
import { closeSync, lstatSync, readSync } from 'node:fs';
import { READ_FLAGS } from './open.js';
import type { Gate } from '../gate/gate.js';
import { CASE_INSENSITIVE } from '../gate/letter-case.js';
import type { Pin } from '../pin/pin.js';

const IGNORE_FILE = '.gitignore';
const REPOSITORY = '.git';
/** Real ignore files have a few kilobytes; a huge one would only slow down a walk. */
const MAX_IGNORE_BYTES = 1024 * 1024;
/** Every name of a walk is matched with every line; measured with 7,000 hostile ones: 0.2 s for each name. */
const MAX_IGNORE_LINES = 2_000;
/** The time to match a name grows with the stars in it. */
const MAX_STARS_PER_NAME = 4;

/** The ignore files that apply to a folder: its own and those above it, up to the repository it belongs to. */
export class IgnoreRules {
  readonly #parent: IgnoreRules | undefined;
  readonly #matcher: Ignore;
  /** How much of a path relative to the walk's base belongs to the folder of this ignore file. */
  readonly #baseLength: number;

  constructor(parent: IgnoreRules | undefined, base: string, text: string) {
    this.#parent = parent;
    this.#baseLength = base === '' ? 0 : base.length + 1;
    this.#matcher = ignore({ ignorecase: CASE_INSENSITIVE }).add(affordableLines(text));
  }

  /** The deepest file that has a matching line decides. Expects that no folder above `path` is ignored. */
  ignores(path: string, isDirectory: boolean): boolean {
    const relative = path.slice(this.#baseLength) + (isDirectory ? '/' : '');
    const { ignored, unignored } = this.#matcher.test(relative);
    if (ignored || unignored) return ignored;
    return this.#parent?.ignores(path, isDirectory) ?? false;
  }
}

/** Lines that cost too much are dropped. A walk then shows more; the fence does not depend on it. */
function affordableLines(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#') && isAffordable(line))
    .slice(0, MAX_IGNORE_LINES);
}

function isAffordable(line: string): boolean {
  return line.split('/').every((name) => name.split('*').length - 1 <= MAX_STARS_PER_NAME);
}

/** An ignore file that cannot be read ignores nothing; like git, a link in its place is not followed. */
function readIgnoreFile(gate: Gate, directory: Pin): string | undefined {
  try {
    return readSmallFile(gate, directory.child(IGNORE_FILE));
  } catch {
    return undefined;
  }
}

function readSmallFile(gate: Gate, name: string): string | undefined {
  if (lstatSync(name, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const pin = gate.pin(name, { noFollow: true });
  try {
    if (!pin.stats.isFile() || pin.stats.size > MAX_IGNORE_BYTES) return undefined;
    const fd = pin.reopen(READ_FLAGS);
    try {
      const buffer = Buffer.allocUnsafe(pin.stats.size);
      return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(fd);
    }
  } finally {
    pin.close();
  }
}

function isRepository(directory: Pin): boolean {
  try {
    return lstatSync(directory.child(REPOSITORY), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** The rules inside a folder, given those of the folder above. `base` is the folder's path relative to the root. */
export function enterDirectory(
  gate: Gate,
  directory: Pin,
  base: string,
  above: IgnoreRules | undefined,
): IgnoreRules | undefined {
  const inherited = isRepository(directory) ? undefined : above;
  const text = readIgnoreFile(gate, directory);
  return text === undefined ? inherited : new IgnoreRules(inherited, base, text);
}

export function isRepositoryData(name: string): boolean {
  return name === REPOSITORY;
}
