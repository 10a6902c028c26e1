import { lstatSync } from 'node:fs';
import { isAbsolute, normalize, posix, sep } from 'node:path';
import { RootwardError, type ErrorCode } from '../../error.js';
import { holdsSteering } from '../../protected/register.js';
import type { Fence } from '../../roots/fence.js';
import type { Root } from '../../roots/root.js';
import { readAbsolutePath } from '../../uri/absolute-path.js';
import { expandHome } from '../../uri/expand-home.js';
import { hostPathStyle } from '../../uri/path-style.js';
import { readFileUri } from '../../uri/read-file-uri.js';
import { MAX_PATH_LENGTH, splitLast } from './asked-path.js';
import { childPath } from './child-path.js';
import type { Pin, PinOptions, Platform } from '../pin/pin.js';
import { errnoOf } from '../../platform/errno.js';
import {
  folderMissing,
  fromSystem,
  inOtherRoot,
  noRoots,
  outsideRoots,
  refused,
  scopeError,
} from './refusal.js';
import { isKernelPath, RootIndex } from './root-index.js';
import { RuleBook, type FoldersSeen, type Placement, type Refusal, type ScopeRules } from './rules.js';

/** An existing object that is in scope and may be used as requested. The caller closes the pin. */
export interface Admitted {
  readonly pin: Pin;
  readonly placement: Placement;
}

/** A name in a pinned directory that is in scope; the entry itself may or may not exist, or be a link. */
export interface Entry {
  readonly parent: Pin;
  readonly name: string;
  /** The name to hand to system calls that do not follow a final link. */
  readonly child: string;
  readonly placement: Placement;
}

/** Where a path leads, and how much of it exists. */
export interface Resolution {
  readonly placement: Placement;
  /** The deepest part that exists; the caller closes it. */
  readonly pin: Pin;
  /** Names below `pin` that do not exist yet. */
  readonly missing: readonly string[];
}

export type Intent = 'read' | 'change';

/** What a gate may have beside roots and rules. */
export interface GateOptions {
  readonly fence?: Fence;
  /** Why relative paths are refused. */
  readonly refuseRelative?: (() => RootwardError) | undefined;
  /** The path of the root that relative paths start at; default: the first directory root. */
  readonly relativeTo?: string | undefined;
  /** What `~` stands for. */
  readonly home?: string | undefined;
}

const FILE_SCHEME = /^file:/i;
/** Errors that show what exists at the target of a link. */
const TELLS_OF_TARGET: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'EACCES']);
const URI = /^(?:[a-z][a-z0-9+.-]+:\/\/|untitled:)/i;
const DRIVE_PATH = /^[a-z]:[\\/]/i;

/** A path that looks like an address of another kind is refused, unless a file with that name exists. */
function foreignName(asked: string): { readonly code: ErrorCode; readonly state: string } | undefined {
  if (sep === '/' && DRIVE_PATH.test(asked)) {
    return { code: 'invalid-path', state: 'it is a Windows path, and this system has none' };
  }
  return URI.test(asked) ? { code: 'not-a-file-uri', state: 'only file URIs name files' } : undefined;
}

/**
 * Decides, for one list of roots, whether an object may be used. Decisions are made on pinned objects. No path is
 * normalised by its text: `a/..` after a link means what the kernel says.
 */
export class Gate {
  readonly roots: readonly Root[];
  readonly index: RootIndex;
  readonly rules: RuleBook;
  readonly #platform: Platform;
  readonly #directories: readonly Root[];
  readonly #refuseRelative: (() => RootwardError) | undefined;
  /** Where relative paths start. */
  readonly #base: Root | undefined;
  readonly #home: string | undefined;

  constructor(
    roots: readonly Root[],
    rules: ScopeRules,
    platform: Platform,
    { fence, refuseRelative, relativeTo, home }: GateOptions = {},
  ) {
    this.roots = roots;
    this.index = new RootIndex(roots);
    this.rules = new RuleBook(rules, fence, roots);
    this.#platform = platform;
    this.#directories = roots.filter((root) => root.kind === 'directory');
    this.#refuseRelative = refuseRelative;
    this.#base =
      relativeTo === undefined
        ? this.#directories[0]
        : this.#directories.find(({ path }) => path === relativeTo);
    this.#home = home;
  }

  /** Pins the object a path leads to, links followed, and refuses it unless it is in scope and the rules agree. */
  admit(action: string, asked: string, intent: Intent = 'read', options?: PinOptions): Admitted {
    const absolute = this.absolute(action, asked, intent);
    let pin: Pin;
    try {
      pin = this.#platform.pin(absolute, options);
    } catch (error) {
      throw this.#explain(action, asked, absolute, error);
    }
    try {
      const placement = this.placePin(action, asked, pin, absolute);
      this.enforce(action, asked, placement, intent);
      return { pin, placement };
    } catch (error) {
      pin.close();
      throw error;
    }
  }

  /**
   * Pins the directory that contains the last component of a path. The component itself is not followed and need not
   * exist.
   */
  admitEntry(
    action: string,
    asked: string,
    intent: Intent,
    absolute: string = this.absolute(action, asked, intent),
  ): Entry {
    const { head, name } = splitLast(absolute);
    if (name === '' || name === '.' || name === '..') {
      throw scopeError('invalid-path', action, asked, 'it must end in the name of a file or folder');
    }
    let parent: Pin;
    try {
      parent = this.#platform.pin(head, { directory: true });
    } catch (error) {
      const explained = this.#explain(action, asked, head, error);
      throw explained.code === 'not-found' ? folderMissing(action, asked, error) : explained;
    }
    try {
      const path = childPath(parent.path, name);
      if (this.index.containing(parent.path, true).length === 0)
        throw this.#orphan(action, asked, path, absolute);
      const placement = this.place(action, asked, path);
      this.enforce(action, asked, placement, intent);
      return { parent, name, child: parent.child(name), placement };
    } catch (error) {
      parent.close();
      throw error;
    }
  }

  /** Resolves as far as the path exists. A link that leads nowhere counts as leading out: its target can be anything. */
  resolve(action: string, asked: string, intent: Intent = 'read'): Resolution {
    const missing: string[] = [];
    const absolute = this.absolute(action, asked, intent);
    let head = absolute;
    for (;;) {
      let pin: Pin;
      try {
        pin = this.#platform.pin(head);
      } catch (error) {
        const split = splitLast(head);
        if (errnoOf(error) !== 'ENOENT' || split.head === '' || split.name === '..') {
          throw this.#explain(action, asked, head, error);
        }
        if (split.name !== '.') missing.unshift(split.name);
        head = split.head;
        continue;
      }
      try {
        return { placement: this.#placeMissing(action, asked, absolute, pin, missing), pin, missing };
      } catch (error) {
        pin.close();
        throw error;
      }
    }
  }

  /** The absolute path that was asked for: not canonical, not checked, only no longer a URI or relative. */
  absolute(action: string, asked: string, intent: Intent = 'read'): string {
    // It is typed, but in plain JavaScript a forgotten argument is undefined.
    if (typeof asked !== 'string')
      throw scopeError('invalid-path', action, String(asked), 'the path is not a string');
    if (this.roots.length === 0) {
      throw this.rules.isRevoked(asked)
        ? refused(action, asked, { code: 'revoked' })
        : noRoots(action, asked);
    }
    if (asked === '') throw scopeError('invalid-path', action, asked, 'the path is empty');
    if (asked.includes('\0'))
      throw scopeError('invalid-path', action, asked, 'the path contains a NUL character');
    if (asked.length > MAX_PATH_LENGTH)
      throw scopeError('invalid-path', action, asked, 'the path is too long');
    const absolute = this.#toAbsolute(action, asked, intent);
    // /proc/self/root and /dev/fd are other names for ordinary places; nobody needs them to reach a root.
    if (isKernelPath(posix.normalize(absolute))) throw outsideRoots(action, asked, this.roots);
    if (hostPathStyle === 'posix') return absolute;
    // Windows strips trailing dots and spaces and reads streams after a colon, so such names mean something else.
    const reading = readAbsolutePath(absolute, hostPathStyle);
    if (!reading.ok) throw scopeError(reading.reason, action, asked, reading.state);
    return reading.path;
  }

  /** Places a canonical path of an entry that may or may not exist. */
  place(action: string, asked: string, path: string, isDirectory = false): Placement {
    const roots = this.index.containing(path, isDirectory);
    if (roots.length === 0) {
      if (this.rules.isRevoked(path)) throw refused(action, asked, { code: 'revoked' });
      throw outsideRoots(action, asked, this.roots);
    }
    return { path, roots, isDirectory };
  }

  /** `absolute`: the path that was pinned. */
  placePin(action: string, asked: string, pin: Pin, absolute?: string): Placement {
    const isDirectory = pin.stats.isDirectory();
    const roots = this.index.containing(pin.path, isDirectory);
    if (roots.length === 0) throw this.#outside(action, asked, absolute);
    return { path: pin.path, roots, isDirectory };
  }

  /** The message says so if only a link leads out: the path without links would be inside. */
  #outside(action: string, asked: string, absolute: string | undefined): RootwardError {
    const isLink = absolute !== undefined && this.index.containing(normalize(absolute), false).length > 0;
    return outsideRoots(action, asked, this.roots, isLink);
  }

  enforce(action: string, asked: string, placement: Placement, intent: Intent, seen?: FoldersSeen): void {
    const refusal: Refusal | undefined =
      intent === 'read' ? this.rules.refuseRead(placement, seen) : this.rules.refuseChange(placement, seen);
    if (refusal !== undefined) throw refused(action, asked, refusal);
  }

  /** Refuses to move or remove an entry that is a root, holds one, or holds what steers the fence. */
  enforceMove(action: string, asked: string, placement: Placement): void {
    if (this.index.leadsToRoot(placement.path)) {
      throw scopeError('not-permitted', action, asked, 'it is a root, or a root is inside it');
    }
    const refusal = this.rules.refuseMove(placement);
    if (refusal !== undefined) throw refused(action, asked, refusal);
  }

  /** Refuses a link where programs look for a folder: it would lead them to files that steer them. */
  enforceLink(action: string, asked: string, { path }: Placement): void {
    if (!holdsSteering(path)) return;
    const reason = 'a link of this name leads programs to files that they obey';
    throw refused(action, asked, { code: 'protected', reason });
  }

  /** Pins without checking any rule. For entries below an admitted folder; the caller checks their place. */
  pin(path: string, options?: PinOptions): Pin {
    return this.#platform.pin(path, options);
  }

  /** The path that a relative one stands for where only another root has it; undefined for any other path. */
  elsewhere(asked: string): string | undefined {
    if (FILE_SCHEME.test(asked) || isAbsolute(asked) || this.#refuseRelative !== undefined) return undefined;
    return this.#base === undefined ? undefined : this.#findElsewhere(this.#base, asked);
  }

  #toAbsolute(action: string, asked: string, intent: Intent): string {
    if (FILE_SCHEME.test(asked)) return this.#fromUri(action, asked);
    const path = this.#home === undefined ? asked : expandHome(asked, this.#home);
    return isAbsolute(path) ? path : this.#fromRelative(action, path, intent);
  }

  #fromUri(action: string, asked: string): string {
    const reading = readFileUri(asked, hostPathStyle);
    if (!reading.ok) throw new RootwardError(reading.reason, reading.message, { path: asked });
    // Only in scope: otherwise the answer would show what exists elsewhere.
    if (reading.ambiguous && !this.#existsInScope(reading.path)) {
      throw scopeError('ambiguous', action, asked, 'it has a query or fragment, and no file has that name');
    }
    return reading.path;
  }

  /** A relative path has one meaning. What only another root has is read there, and never changed. */
  #fromRelative(action: string, asked: string, intent: Intent): string {
    if (this.#refuseRelative !== undefined) throw this.#refuseRelative();
    const base = this.#base;
    if (base === undefined) throw outsideRoots(action, asked, this.roots);
    const foreign = foreignName(asked);
    const own = childPath(base.path, asked);
    if (this.#directories.length === 1 && foreign === undefined) return own;
    if (this.#exists(own)) return own;
    const other = this.#findElsewhere(base, asked);
    if (other !== undefined && intent === 'read') return other;
    if (foreign !== undefined) throw scopeError(foreign.code, action, asked, foreign.state);
    if (other !== undefined) throw inOtherRoot(action, asked, { base: base.path, own, other });
    return own;
  }

  #findElsewhere(base: Root, asked: string): string | undefined {
    if (this.#directories.length === 1 || this.#exists(childPath(base.path, asked))) return undefined;
    return this.#directories
      .map(({ path }) => childPath(path, asked))
      .find((path) => path !== base.path && this.#existsInScope(path));
  }

  #exists(path: string): boolean {
    try {
      return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    } catch {
      return false;
    }
  }

  #existsInScope(path: string): boolean {
    try {
      const pin = this.#platform.pin(path);
      pin.close();
      return this.index.containing(pin.path, pin.stats.isDirectory()).length > 0;
    } catch {
      return false;
    }
  }

  #placeMissing(
    action: string,
    asked: string,
    absolute: string,
    pin: Pin,
    missing: readonly string[],
  ): Placement {
    const placement = this.placePin(action, asked, pin, absolute);
    const [next] = missing;
    if (next === undefined) return placement;
    if (!pin.stats.isDirectory()) {
      throw scopeError('not-a-directory', action, asked, 'a part of the path is not a folder');
    }
    // A link that leads nowhere.
    if (this.#exists(pin.child(next))) throw outsideRoots(action, asked, this.roots, true);
    return this.place(action, asked, childPath(pin.path, missing.join(sep)));
  }

  /**
   * A path that fails outside the roots, or behind a link that may lead there, is always reported as outside, so that
   * errors do not show what exists elsewhere.
   */
  #explain(action: string, asked: string, path: string, error: unknown): RootwardError {
    if (this.index.has(path)) return fromSystem(action, asked, error);
    let split = splitLast(path);
    while (split.head !== '') {
      try {
        const pin = this.#platform.pin(split.head);
        const inside = this.index.containing(pin.path, pin.stats.isDirectory()).length > 0;
        const leaves = inside && TELLS_OF_TARGET.has(errnoOf(error)) && this.#isLink(pin.child(split.name));
        pin.close();
        if (inside && !leaves) return fromSystem(action, asked, error);
        return leaves ? outsideRoots(action, asked, this.roots, true) : this.#outside(action, asked, path);
      } catch {
        split = splitLast(split.head);
      }
    }
    return this.#outside(action, asked, path);
  }

  #isLink(path: string): boolean {
    try {
      return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
    } catch {
      return false;
    }
  }

  #orphan(action: string, asked: string, path: string, absolute: string): RootwardError {
    if (this.index.containing(path, false).length === 0) return this.#outside(action, asked, absolute);
    return scopeError('not-permitted', action, asked, 'it is a root, and what holds it is out of scope');
  }
}
