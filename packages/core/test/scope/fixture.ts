import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { RootwardError, type ErrorCode } from '../../src/error.js';
import type { Root } from '../../src/roots/root.js';
import { portablePlatform } from '../../src/scope/pin/portable.js';
import type { Platform } from '../../src/scope/pin/pin.js';
import { systemPlatform } from '../../src/scope/pin/system.js';
import { Scope, type ScopeOptions } from '../../src/scope/scope.js';
import { pathToFileUri } from '../../src/uri/file-uri.js';

export const OTHER_DISK = '/dev/shm';
export const hasOtherDisk: boolean =
  existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;

/** Names in a tree: a string is a file's text, bytes are a file's bytes, a nested object is a folder. */
export interface TreeContent {
  readonly [name: string]: string | Uint8Array | TreeContent;
}

/** A temporary folder with `inside` (meant to be a root) and `outside` (meant to stay untouched). */
export class Tree {
  readonly base: string = realpathSync(mkdtempSync(join(tmpdir(), 'rootward-scope-')));
  readonly inside: string = join(this.base, 'inside');
  readonly outside: string = join(this.base, 'outside');

  constructor() {
    mkdirSync(this.inside);
    mkdirSync(this.outside);
  }

  in(...names: string[]): string {
    return join(this.inside, ...names);
  }

  out(...names: string[]): string {
    return join(this.outside, ...names);
  }

  /** Makes files and folders below `directory`, `inside` unless told otherwise. */
  make(content: TreeContent, directory: string = this.inside): void {
    for (const [name, value] of Object.entries(content)) {
      const path = join(directory, name);
      if (typeof value === 'string' || value instanceof Uint8Array) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, value);
      } else {
        mkdirSync(path, { recursive: true });
        this.make(value, path);
      }
    }
  }

  /** Makes a link at `path` (relative to `inside`) that holds `target` as it stands. */
  link(path: string, target: string): void {
    symlinkSync(target, join(this.inside, path));
  }

  text(path: string): string {
    return readFileSync(join(this.inside, path), 'utf8');
  }

  names(directory: string = this.inside): string[] {
    return readdirSync(directory).sort();
  }

  dispose(): void {
    unlock(this.base);
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** Gives back the rights a test took away, so that the tree can be removed. */
function unlock(directory: string): void {
  chmodSync(directory, 0o700);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    // A name that is not valid UTF-8 cannot be used as text; no test locks such a folder.
    if (entry.isDirectory() && !entry.name.includes('\uFFFD')) unlock(join(directory, entry.name));
  }
}

/** A fresh tree for every test of the file (or of the `describe` block), gone afterwards. */
export function useTree(): () => Tree {
  let tree: Tree | undefined;
  beforeEach(() => {
    tree = new Tree();
  });
  afterEach(() => {
    tree?.dispose();
    tree = undefined;
  });
  return () => {
    if (tree === undefined) throw new Error('The tree only exists while a test runs');
    return tree;
  };
}

/** A root as if it had been declared by its canonical path. */
export function rootAt(path: string, overrides: Partial<Root> = {}): Root {
  return {
    uri: pathToFileUri(path),
    path,
    name: basename(path),
    kind: 'directory',
    access: 'read-write',
    source: 'client',
    declared: path,
    broad: false,
    ...overrides,
  };
}

export function scopeOf(path: string, options: Partial<ScopeOptions> = {}): Scope {
  return new Scope({ roots: [rootAt(path)], ...options });
}

/** Both ways of holding objects; the portable one runs on any system. For `describe.each`. */
export const platforms: readonly (readonly [name: string, platform: Platform])[] = [
  ['system', systemPlatform()],
  ['portable', portablePlatform(process.platform)],
];

/** The refusal of an operation that must not succeed; anything but a RootwardError fails the test. */
export async function refusalOf(attempt: Promise<unknown> | (() => unknown)): Promise<RootwardError> {
  let outcome: unknown;
  try {
    outcome = await (typeof attempt === 'function' ? attempt() : attempt);
  } catch (error) {
    if (error instanceof RootwardError) return error;
    throw error;
  }
  throw new Error(`Expected a refusal, received ${JSON.stringify(outcome)}`);
}

/** The code of a refusal, for `expect(await codeOf(...)).toBe('denied')`. */
export async function codeOf(attempt: Promise<unknown> | (() => unknown)): Promise<ErrorCode> {
  return (await refusalOf(attempt)).code;
}
