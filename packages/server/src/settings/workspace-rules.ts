import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { containsPath, hostPathStyle, readRules, Scope, WORKSPACE_RULES_FILE } from '@rootward/core';
import type {
  Logger,
  ProcessLocks,
  Root,
  RulesInFolder,
  ScopeRules,
  Snapshot,
  TemporaryFiles,
} from '@rootward/core';
import { errnoOf } from '@rootward/core/platform';
import * as z from 'zod';
import { categoriesSchema, type CategoryRules } from './category-rules.js';
import { checkAgainst } from './check-against.js';
import { lazily } from './lazily.js';
import { parseJsonFile } from './parse-json.js';

/** What a workspace, or its user, says about it. It can only tighten, and name guidance. */
export interface WorkspaceRules {
  readonly deny?: readonly string[];
  readonly readOnly?: boolean;
  readonly categories?: CategoryRules;
}

/** A rules file that cannot be read, so that its folder is out of reach. */
export interface BrokenRules {
  readonly file: string;
  readonly problem: string;
}

/** One file of settings that a user keeps about a folder, or the folder of all of them where it cannot be read. */
interface KeptRules {
  readonly file: string;
  readonly reading: WorkspaceRules | BrokenReading;
}

/** Finds what a user keeps about a folder itself, outside of it. */
export type KeptRulesOf = (folder: string) => readonly KeptRules[];

/** Undefined where there is no file. */
export type RulesReading = WorkspaceRules | BrokenReading | undefined;

/** `value`: what was parsed, of which some may still hold. */
export interface BrokenReading {
  readonly problem: string;
  readonly value?: unknown;
}

/** A repository may bring anything under this name; more than this is no list of rules. */
const MAX_BYTES = 64 * 1024;
const MAX_PATTERNS = 1000;
/** The file quotes itself in its problems, and whoever wrote it is not trusted with a log. */
const MAX_PROBLEM_LENGTH = 200;
const O_NOFOLLOW: number = constants.O_NOFOLLOW ?? 0;
/** A FIFO of this name must not hang the server. */
const O_NONBLOCK: number = constants.O_NONBLOCK ?? 0;

/** `.rootward.json` inside a root: it can only tighten. `categories` belong to the guidance tools. */
const workspaceRulesSchema = lazily((): z.ZodObject =>
  z.strictObject({
    $schema: z.string().optional(),
    deny: z.array(z.string().min(1)).optional(),
    readOnly: z.boolean().optional(),
    categories: categoriesSchema().optional(),
  }),
);

/** Reads the rules of one root. A link is not followed: it could show what lies elsewhere through error messages. */
export function readWorkspaceRules(root: string): RulesReading {
  return readRulesFile(join(root, WORKSPACE_RULES_FILE), O_NOFOLLOW);
}

/** The same for rules a user keeps elsewhere, where a link is the user's own. */
export function readRulesFile(file: string, flags = 0): RulesReading {
  let bytes: Buffer | undefined;
  try {
    // Most roots have none, and an exception each would cost a client with thousands of roots a tenth of a second.
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return undefined;
    bytes = readSmallFile(file, flags);
  } catch (error) {
    return { problem: describeFault(error) };
  }
  if (bytes === undefined) return { problem: `it is not a regular file of at most ${MAX_BYTES} bytes` };
  if (!isUtf8(bytes)) return { problem: 'it is not UTF-8 text' };
  const parsed = parseJsonFile(bytes.toString());
  return 'problem' in parsed ? parsed : checkRules(parsed.value);
}

/** A file that was there a moment ago. */
function describeFault(error: unknown): string {
  const code = errnoOf(error);
  if (code === 'ELOOP') return 'it is a link';
  if (code === 'ENOENT') return 'it is a link that leads nowhere, or it was just removed';
  return `the disk answered ${code ?? String(error)}`;
}

/** Checks parsed JSON. */
export function checkRules(value: unknown): WorkspaceRules | BrokenReading {
  const checked = checkAgainst<WorkspaceRules>(workspaceRulesSchema(), value);
  if (!checked.ok) {
    const told = checked.problems.join('; ').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
    return { problem: told.slice(0, MAX_PROBLEM_LENGTH), value };
  }
  const { configuration } = checked;
  if ((configuration.deny?.length ?? 0) > MAX_PATTERNS) {
    return { problem: `it has more than ${MAX_PATTERNS} patterns`, value };
  }
  return configuration;
}

/** Undefined where it is not a small regular file. */
function readSmallFile(file: string, flags: number): Buffer | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | O_NONBLOCK | flags);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const bytes = Buffer.alloc(stats.size);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

export interface ScopeMakerOptions {
  /** The operator's rules, which a workspace can add to and never lift. */
  readonly rules: ScopeRules;
  readonly log: Logger;
  /** Further rules, kept by the user; looked up anew for each scope. Undefined where nothing is kept. */
  readonly userRules?: () => KeptRulesOf | undefined;
  /** Canonical; read-only as a whole where a root is in it, since what is there runs with the next call. */
  readonly toolsProject?: string | undefined;
  /** Shared, so that what one scope left behind is found by the next. */
  readonly temporaries?: TemporaryFiles;
  readonly locks?: ProcessLocks;
  readonly now?: () => number;
}

/** A scope, which is the same for all sessions with the same roots. */
interface SharedScope {
  readonly scope: Scope;
  readonly fence: Snapshot['fence'];
  readonly until: number;
}

/** A scope resolves links in its rules and looks for repositories once, so that one made later may be stricter. */
const SHARED_MS = 30_000;
/** Most sessions have the roots of the operator. */
const MAX_SHARED = 64;
/** To compare more would take longer than to make another scope. */
const MAX_SHARED_ROOTS = 16;

/**
 * Makes scopes with the operator's rules and those that the user keeps about each root. What the rules files of a
 * workspace deny, the scope itself finds; here they only tell which roots to show as read-only.
 */
export class ScopeMaker {
  readonly #options: ScopeMakerOptions;
  /** What was reported already, so that a broken file is mentioned once and not on every change. */
  readonly #reported = new Set<string>();
  /** By their roots. A scope takes 5 KB, and there may be thousands of sessions. */
  readonly #shared = new Map<string, SharedScope>();

  constructor(options: ScopeMakerOptions) {
    this.#options = options;
  }

  /** Over these roots, as in a snapshot. */
  readonly create = (snapshot: Pick<Snapshot, 'roots' | 'fence'>): Scope => {
    const { rules, temporaries, locks, toolsProject } = this.#options;
    const isOfTools = ({ path }: Root): boolean =>
      toolsProject !== undefined && containsPath(toolsProject, path, hostPathStyle);
    const userRules = this.#options.userRules?.();
    const keptElsewhere = userRules === undefined ? undefined : this.#readOnce(userRules);
    const isKeptReadOnly = ({ path }: Root): boolean =>
      keptElsewhere !== undefined &&
      withFoldersAbove(path).some((folder) =>
        keptElsewhere(folder).some(({ readOnly }) => readOnly === true),
      );
    const roots = snapshot.roots.map((root) => {
      const own = this.#usable(root, ownRulesOf(root));
      const readOnly =
        rules.readOnly === true || own?.readOnly === true || isOfTools(root) || isKeptReadOnly(root);
      return readOnly ? { ...root, access: 'read-only' as const } : root;
    });
    const isProtected = toolsProject !== undefined && snapshot.roots.some(isOfTools);
    const { fence } = snapshot;
    const make = (): Scope =>
      new Scope({
        roots,
        rules: {
          ...rules,
          ...(isProtected && { inFolder: new Map([[toolsProject, { readOnly: true }]]) }),
          ...(keptElsewhere !== undefined && { keptElsewhere }),
        },
        fence,
        ...(temporaries !== undefined && { temporaries }),
        ...(locks !== undefined && { locks }),
      });
    // What users keep elsewhere, a scope reads once for each folder.
    const isShared = keptElsewhere === undefined && roots.length <= MAX_SHARED_ROOTS;
    return isShared ? this.#share(roots, fence, make) : make();
  };

  /** The rules of the roots were just read, and are part of what is compared. */
  #share(roots: readonly Root[], fence: Snapshot['fence'], make: () => Scope): Scope {
    const now = (this.#options.now ?? Date.now)();
    const key = JSON.stringify(roots);
    const known = this.#shared.get(key);
    if (known !== undefined && known.fence === fence && now < known.until) return known.scope;
    const scope = make();
    this.#shared.delete(key);
    this.#shared.set(key, { scope, fence, until: now + SHARED_MS });
    for (const oldest of this.#shared.keys()) {
      if (this.#shared.size <= MAX_SHARED) break;
      this.#shared.delete(oldest);
    }
    return scope;
  }

  /** Roots often share the folders above them. */
  #readOnce(userRules: KeptRulesOf): (folder: string) => readonly RulesInFolder[] {
    const known = new Map<string, readonly RulesInFolder[]>();
    return (folder) => {
      const found =
        known.get(folder) ??
        userRules(folder).map(({ file, reading }) => {
          if ('problem' in reading) this.#report(file, reading, folder);
          return folderRulesOf(reading);
        });
      known.set(folder, found);
      return found;
    };
  }

  #usable({ path }: Root, reading: RulesReading): WorkspaceRules | undefined {
    if (reading === undefined || !('problem' in reading)) return reading;
    this.#report(path, reading, path);
    return undefined;
  }

  #report(place: string, { problem }: BrokenReading, folder: string): void {
    const key = `${place}\0${problem}`;
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#options.log.warn('workspace rules cannot be read', { problem });
    this.#options.log.debug('workspace rules cannot be read', { folder });
  }
}

/** What can be read of broken rules holds; where nothing can, they refuse everything. */
function folderRulesOf(reading: WorkspaceRules | BrokenReading): RulesInFolder {
  if (!('problem' in reading)) return { deny: reading.deny, readOnly: reading.readOnly };
  const rules = reading.value === undefined ? reading : readRules(reading.value);
  if (!('problem' in rules)) return rules;
  return { unreadable: { file: "the user's settings for this project", problem: rules.problem } };
}

/** A folder and those above it, the deepest first. */
export function withFoldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...withFoldersAbove(above)];
}

function ownRulesOf({ kind, broad, path }: Root): RulesReading {
  return kind === 'directory' && !broad ? readWorkspaceRules(path) : undefined;
}

/** The rules files of these roots that cannot be read. */
export function findBrokenRules(roots: readonly Root[]): readonly BrokenRules[] {
  return roots.flatMap((root) => {
    const reading = ownRulesOf(root);
    if (reading === undefined || !('problem' in reading)) return [];
    return [{ file: join(root.path, WORKSPACE_RULES_FILE), problem: reading.problem }];
  });
}
