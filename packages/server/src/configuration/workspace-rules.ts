import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Scope, WORKSPACE_RULES_FILE } from '@rootward/core';
import type { Logger, Root, ScopeRules, Snapshot, TemporaryFiles } from '@rootward/core';
import { checkAgainst } from './check-configuration.js';
import { workspaceRulesSchema } from './configuration-schema.js';

/** What a workspace says about itself. It can only tighten. */
interface WorkspaceRules {
  readonly deny?: readonly string[];
  readonly readOnly?: boolean;
}

/** A rules file that could not be used, and so changes nothing. */
export interface BrokenRules {
  readonly file: string;
  readonly problem: string;
}

type Reading = WorkspaceRules | { readonly problem: string } | undefined;

/** A repository may bring anything under this name; more than this is no list of rules. */
const MOST_BYTES = 64 * 1024;
const MOST_PATTERNS = 1000;
/** The file quotes itself in its problems, and whoever wrote it is not trusted with a log. */
const LONGEST_PROBLEM = 200;
const O_NOFOLLOW: number = constants.O_NOFOLLOW ?? 0;
/** A FIFO of this name must not hang the server. */
const O_NONBLOCK: number = constants.O_NONBLOCK ?? 0;

/** Reads the rules of one root. A link is not followed: it could show what lies elsewhere through error messages. */
export function readWorkspaceRules(root: string): Reading {
  let text: string | undefined;
  try {
    text = readSmallFile(join(root, WORKSPACE_RULES_FILE));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    return { problem: code === 'ELOOP' ? 'it is a link' : `the disk answered ${String(code ?? error)}` };
  }
  if (text === undefined) return { problem: `it is not a regular file of at most ${MOST_BYTES} bytes` };
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return { problem: 'it is not JSON' };
  }
  const checked = checkAgainst<WorkspaceRules>(workspaceRulesSchema, value);
  if (!checked.ok) return { problem: checked.problems.join('; ').slice(0, LONGEST_PROBLEM) };
  const { configuration } = checked;
  if ((configuration.deny?.length ?? 0) > MOST_PATTERNS) {
    return { problem: `it has more than ${MOST_PATTERNS} patterns` };
  }
  return configuration;
}

/** Undefined where it is not a small regular file. */
function readSmallFile(file: string): string | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > MOST_BYTES) return undefined;
    const bytes = Buffer.alloc(stats.size);
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

export interface ScopeMakerOptions {
  /** The operator's rules, which a workspace can add to and never lift. */
  readonly rules: ScopeRules;
  readonly log: Logger;
  /** Shared, so that what one scope left behind is found by the next. */
  readonly temporaries?: TemporaryFiles;
}

/**
 * Makes scopes with the operator's rules and those of each root. The rules of a root are read when the roots change;
 * a broad root is somebody's home or disk and has none.
 */
export class ScopeMaker {
  readonly #options: ScopeMakerOptions;
  /** What was reported already, so that a broken file is mentioned once and not on every change. */
  readonly #reported = new Set<string>();

  constructor(options: ScopeMakerOptions) {
    this.#options = options;
  }

  readonly create = (snapshot: Snapshot): Scope => {
    const { rules, temporaries } = this.#options;
    const denyInRoot = new Map<string, readonly string[]>();
    const roots = snapshot.roots.map((root) => {
      const own = this.#rulesOf(root);
      if (own?.deny !== undefined && own.deny.length > 0) denyInRoot.set(root.path, own.deny);
      return own?.readOnly === true ? { ...root, access: 'read-only' as const } : root;
    });
    return new Scope({
      roots,
      rules: denyInRoot.size === 0 ? rules : { ...rules, denyInRoot },
      ...(temporaries !== undefined && { temporaries }),
    });
  };

  #rulesOf(root: Root): WorkspaceRules | undefined {
    if (root.kind !== 'directory' || root.broad) return undefined;
    const reading = readWorkspaceRules(root.path);
    if (reading === undefined || !('problem' in reading)) return reading;
    const key = `${root.path}\0${reading.problem}`;
    if (!this.#reported.has(key)) {
      this.#reported.add(key);
      this.#options.log.warn('workspace rules skipped', { problem: reading.problem });
      this.#options.log.debug('workspace rules skipped', { root: root.path });
    }
    return undefined;
  }
}

/** The rules files of these roots that change nothing because they are broken. */
export function findBrokenRules(roots: readonly Root[]): readonly BrokenRules[] {
  return roots.flatMap((root) => {
    if (root.kind !== 'directory' || root.broad) return [];
    const reading = readWorkspaceRules(root.path);
    if (reading === undefined || !('problem' in reading)) return [];
    return [{ file: join(root.path, WORKSPACE_RULES_FILE), problem: reading.problem }];
  });
}
