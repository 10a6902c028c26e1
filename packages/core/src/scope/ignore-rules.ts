import ignore from 'ignore';
import type { Ignore } from 'ignore';
import { closeSync, lstatSync, readSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { READ_FLAGS } from './open.js';
import type { Gate } from './gate.js';
import type { Pin } from './pin.js';

const IGNORE_FILE = '.gitignore';
const REPOSITORY = '.git';
/** Git's own ignore files have a few kilobytes; a huge one would only be a way to slow a walk down. */
const MAX_IGNORE_BYTES = 1024 * 1024;
const CASE_INSENSITIVE = process.platform === 'darwin' || process.platform === 'win32';

/** The ignore files that apply to a folder: its own and those above it, up to the repository it belongs to. */
export class IgnoreRules {
  readonly #parent: IgnoreRules | undefined;
  readonly #matcher: Ignore;
  /** How much of a path relative to the walk's base belongs to the folder of this ignore file. */
  readonly #baseLength: number;

  constructor(parent: IgnoreRules | undefined, base: string, text: string) {
    this.#parent = parent;
    this.#baseLength = base === '' ? 0 : base.length + 1;
    this.#matcher = ignore({ ignorecase: CASE_INSENSITIVE }).add(text);
  }

  /** The deepest file with an opinion decides. Expects that no folder above `path` is ignored. */
  ignores(path: string, isDirectory: boolean): boolean {
    const relative = path.slice(this.#baseLength) + (isDirectory ? '/' : '');
    const { ignored, unignored } = this.#matcher.test(relative);
    if (ignored || unignored) return ignored;
    return this.#parent?.ignores(path, isDirectory) ?? false;
  }
}

/** A folder that may be listed but not entered, or that is going away, has no rules to be read. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Undefined also for an ignore file that cannot be read: leaving too little out harms nobody. */
function readIgnoreFile(gate: Gate, directory: Pin): string | undefined {
  const name = directory.child(IGNORE_FILE);
  if (statsOf(name)?.isFile() !== true) return undefined;
  let pin: Pin | undefined;
  try {
    // Like git, a link in place of the file is not followed.
    pin = gate.pin(name, { noFollow: true });
    if (!pin.stats.isFile() || pin.stats.size > MAX_IGNORE_BYTES) return undefined;
    const fd = pin.reopen(READ_FLAGS);
    try {
      const buffer = Buffer.allocUnsafe(pin.stats.size);
      return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  } finally {
    pin?.close();
  }
}

/** The rules inside a folder, given those of the folder above. `base` is the folder's path relative to the root. */
export function enterDirectory(
  gate: Gate,
  directory: Pin,
  base: string,
  above: IgnoreRules | undefined,
): IgnoreRules | undefined {
  const isRepository = statsOf(directory.child(REPOSITORY)) !== undefined;
  const inherited = isRepository ? undefined : above;
  const text = readIgnoreFile(gate, directory);
  return text === undefined ? inherited : new IgnoreRules(inherited, base, text);
}

export function isRepositoryData(name: string): boolean {
  return name === REPOSITORY;
}
