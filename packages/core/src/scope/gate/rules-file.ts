import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { parse, sep } from 'node:path';
import { errnoOf } from '../../platform/errno.js';
import { isObject } from '../../platform/json.js';
import { readJson } from '../../platform/read-json.js';
import { WORKSPACE_RULES_FILE } from '../../protected/steering.js';
import { childPath } from './child-path.js';
import { compileDenies, type DenyMatcher } from './deny.js';

/** What is forbidden in one folder and all below it. */
export interface RulesInFolder {
  /** Globs no operation reaches, relative to the folder. */
  readonly deny?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
  /** Where the rules are kept and why they cannot be read. Then nothing in the folder can be used. */
  readonly unreadable?: { readonly file: string; readonly problem: string } | undefined;
}

/** What a rules file says about its folder and all below. */
export interface FolderRules {
  readonly folder: string;
  /** Empty where the rules are kept elsewhere. */
  readonly file: string;
  readonly deny: DenyMatcher;
  readonly readOnly: boolean;
  /** Why it cannot be read. Then nothing in its folder can be reached except the file itself. */
  readonly problem: string | undefined;
}

/** What a rules file says, or why it cannot be read. */
export type RulesReading =
  | { readonly deny: readonly string[]; readonly readOnly: boolean }
  | { readonly problem: string };

/** A repository may contain anything under this name; a larger file is not a list of rules. */
const MAX_BYTES = 64 * 1024;
const MAX_PATTERNS = 1000;
/** How many files are remembered. Beyond that, all are forgotten, which only means reading them again. */
const MAX_FILES = 1024;
const MAX_FOLDERS = 16 * 1024;
const NONE: readonly FolderRules[] = [];
// A link is not followed, and a FIFO of this name must not hang the server. Both are absent on Windows.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const NOT_ENTERED: ReadonlySet<string | undefined> = new Set(['ENOTDIR', 'EACCES']);
const LOOK = { throwIfNoEntry: false } as const;

interface Known {
  readonly stats: Stats;
  readonly rules: FolderRules;
}

/** The rules files in force. Each is looked up on every use, and read again only if it was replaced or changed. */
export class RulesFiles {
  readonly #known = new Map<string, Known>();
  readonly #askElsewhere: ((folder: string) => readonly RulesInFolder[]) | undefined;
  readonly #elsewhere = new Map<string, readonly FolderRules[]>();

  constructor(askElsewhere?: (folder: string) => readonly RulesInFolder[]) {
    this.#askElsewhere = askElsewhere;
  }

  /**
   * Those from `top` down to `folder`, both included. Rules that are kept elsewhere count from the top of the disk on:
   * their author named the folder, so no narrower root escapes them.
   */
  between(top: string, folder: string): readonly FolderRules[] {
    const found: FolderRules[] = [];
    const start = this.#askElsewhere === undefined ? top.length : parse(folder).root.length;
    for (let end = start; end <= folder.length;) {
      const path = folder.slice(0, end);
      if (end >= top.length) found.push(...this.in(path));
      else found.push(...this.#keptElsewhere(path));
      const next = folder.indexOf(sep, end + 1);
      end = next < 0 && end < folder.length ? folder.length : next < 0 ? folder.length + 1 : next;
    }
    return found;
  }

  /**
   * The rules file in this folder, and rules for it that are kept elsewhere. `name` is a shorter path to the folder, if
   * there is one.
   */
  in(folder: string, name?: string): readonly FolderRules[] {
    const own = this.#file(folder, name);
    const others = this.#keptElsewhere(folder);
    return own === undefined ? others : [own, ...others];
  }

  /** Whether rules for this folder are kept elsewhere. Such rules do not move with the folder, unlike a file in it. */
  isNamedElsewhere(folder: string): boolean {
    return this.#keptElsewhere(folder).length > 0;
  }

  #keptElsewhere(folder: string): readonly FolderRules[] {
    if (this.#askElsewhere === undefined) return NONE;
    const known = this.#elsewhere.get(folder);
    if (known !== undefined) return known;
    if (this.#elsewhere.size >= MAX_FOLDERS) this.#elsewhere.clear();
    const found = this.#askElsewhere(folder).map(({ deny = [], readOnly = false, unreadable: broken }) => ({
      folder,
      file: broken?.file ?? '',
      deny: compileDenies(deny),
      readOnly,
      problem: broken?.problem,
    }));
    this.#elsewhere.set(folder, found.length === 0 ? NONE : found);
    return found;
  }

  #file(folder: string, name?: string): FolderRules | undefined {
    const file = childPath(folder, WORKSPACE_RULES_FILE);
    let stats: Stats | undefined;
    try {
      stats = lstatSync(name ?? file, LOOK);
    } catch (error) {
      // Nothing in such a folder can be opened.
      if (NOT_ENTERED.has(errnoOf(error))) return undefined;
      return unreadable(folder, file, describe(error));
    }
    if (stats === undefined) return undefined;
    const known = this.#known.get(file);
    if (known !== undefined && isSame(known.stats, stats)) return known.rules;
    if (this.#known.size >= MAX_FILES) this.#known.clear();
    const rules = readFile(folder, file, stats);
    this.#known.set(file, { stats, rules });
    return rules;
  }
}

/** ctime cannot be set back, unlike mtime. */
function isSame(one: Stats, other: Stats): boolean {
  return (
    one.ctimeMs === other.ctimeMs &&
    one.size === other.size &&
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.mtimeMs === other.mtimeMs
  );
}

function describe(error: unknown): string {
  return `the disk answered ${errnoOf(error) ?? String(error)}`;
}

function unreadable(folder: string, file: string, problem: string): FolderRules {
  return { folder, file, deny: compileDenies([]), readOnly: true, problem };
}

function readFile(folder: string, file: string, stats: Stats): FolderRules {
  if (stats.isSymbolicLink()) return unreadable(folder, file, 'it is a link');
  let text: string;
  try {
    const bytes = readSmallFile(file);
    if (bytes === undefined) {
      return unreadable(folder, file, `it is not a regular file of at most ${MAX_BYTES} bytes`);
    }
    if (!isUtf8(bytes)) return unreadable(folder, file, 'it is not UTF-8 text');
    text = bytes.toString();
  } catch (error) {
    return unreadable(folder, file, describe(error));
  }
  const reading = readJson(text);
  if (!reading.ok) return unreadable(folder, file, `${reading.reason} (line ${reading.line})`);
  const rules = readRules(reading.value);
  if ('problem' in rules) return unreadable(folder, file, rules.problem);
  return { folder, file, deny: compileDenies(rules.deny), readOnly: rules.readOnly, problem: undefined };
}

/** Undefined where it is not a small regular file. */
function readSmallFile(file: string): Buffer | undefined {
  const descriptor = openSync(file, FLAGS);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

/**
 * What parsed JSON says about a folder. Unknown keys have no effect. A value that is neither true nor false was most
 * likely meant to restrict. A deny list that cannot be understood might deny anything, so nothing can be used.
 */
export function readRules(value: unknown): RulesReading {
  if (!isObject(value)) return { problem: 'it is not an object' };
  const { deny = [], readOnly = false } = value;
  if (!Array.isArray(deny)) return { problem: '"deny" is not a list' };
  if (deny.length > MAX_PATTERNS) return { problem: `it has more than ${MAX_PATTERNS} patterns` };
  const patterns = deny.filter((pattern) => typeof pattern === 'string');
  if (patterns.length < deny.length) return { problem: '"deny" holds something that is not a string' };
  try {
    compileDenies(patterns);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  return { deny: patterns, readOnly: readOnly !== false };
}
