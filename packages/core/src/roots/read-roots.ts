import { readAbsolutePath } from '../uri/absolute-path.js';
import { pathToFileUri } from '../uri/file-uri.js';
import { hostPathStyle, type PathStyle } from '../uri/path-style.js';
import { printable } from '../uri/printable.js';
import { isBroad } from './broad.js';
import { canonicalise } from './canonicalise.js';
import { Ceiling } from './ceiling.js';
import type { Declaration, PathEntry } from './declaration.js';
import { declarePath, declareUri, holdsVariable, unexpandedMessage } from './declaration.js';
import { mapInBatches } from './map-in-batches.js';
import type { RejectionReason } from '../error.js';
import { SOURCE_KINDS } from './root.js';
import type { Rejection, Root, RootAccess, RootKind, RootList, Source, SourceKind } from './root.js';
import { rootsDisk, type RootsDisk } from './roots-disk.js';

/** How declared roots are read, and what they are held against. */
export interface ReadRootsOptions {
  readonly source: Source;
  /** The user's home directory, canonical or not: it and its ancestors are broad. */
  readonly home: string;
  readonly style?: PathStyle;
  /** Canonical directories no root may go beyond. Absent means no ceiling; an empty list leaves nothing. */
  readonly ceiling?: readonly string[];
  /** Which kinds of roots are accepted. Default: all. */
  readonly kinds?: readonly RootKind[];
  /** What relative paths of operators are relative to. */
  readonly base?: string;
  readonly disk?: RootsDisk;
  readonly signal?: AbortSignal;
}

/**
 * The largest number of roots that is read from one list. A longer list is a mistake or an attack; the rest is counted,
 * not read.
 */
export const MAX_ROOTS = 10_000;

// Enough to keep the four threads of Node's pool busy, and few enough not to crowd out other file access. Measured with
// 5,000 roots on two idle cores, warm: 50 to 105 ms, against 80 to 160 ms with a steady flow of 16 instead of batches;
// with one core taken by others, 115 to 165 ms either way.
const MAX_LOOKUPS_AT_ONCE = 64;

/**
 * Kinds of sources that only hint at a workspace. If one of them names a whole disk or home directory, that is probably
 * an accident.
 */
const HINTING: ReadonlySet<SourceKind> = new Set<SourceKind>(['call', 'hint']);

/** Reads roots as clients send them, `{ uri, name? }`. Each entry may be any JSON and is judged on its own. */
export function readRoots(entries: readonly unknown[], options: ReadRootsOptions): Promise<RootList> {
  const style = options.style ?? hostPathStyle;
  return readDeclared(entries, (entry) => declareUri(entry, style), options);
}

/**
 * Reads roots as operators write them: paths, absolute or relative to `options.base`.
 *
 * @example
 * ```ts
 * import { readPathRoots } from '@rootward/core';
 * import { homedir } from 'node:os';
 *
 * const entries = [{ path: 'app' }, { path: 'docs', access: 'read-only' as const }];
 * const { roots, rejected } = await readPathRoots(entries, { source: 'config', home: homedir(), base: '/home/me' });
 * console.log(roots.length, rejected.map(({ message }) => message));
 * ```
 */
export function readPathRoots(entries: readonly PathEntry[], options: ReadRootsOptions): Promise<RootList> {
  const style = options.style ?? hostPathStyle;
  return readDeclared(entries, (entry) => declarePath(entry, style, options.base), options);
}

async function readDeclared<Entry>(
  entries: readonly Entry[],
  declare: (entry: Entry) => Declaration,
  options: ReadRootsOptions,
): Promise<RootList> {
  const { signal, disk = rootsDisk, style = hostPathStyle } = options;
  const homes = await mapInBatches([options.home], 1, (home) => canonicalHomes(home, style, disk), signal);
  const found = await mapInBatches(
    entries.slice(0, MAX_ROOTS),
    MAX_LOOKUPS_AT_ONCE,
    (entry) => find(declare(entry), options),
    signal,
  );
  const list = select(found, homes.flat(), options);
  const surplus = entries.length - MAX_ROOTS;
  if (surplus <= 0) return list;
  return { ...list, rejected: [...list.rejected, tooMany(surplus, options.source)] };
}

/** A declared root that exists, or why it does not count. */
type Found =
  | {
      readonly ok: true;
      readonly declared: string;
      readonly path: string;
      readonly kind: RootKind;
      readonly name: string | undefined;
      readonly access: RootAccess;
    }
  | Extract<Declaration, { ok: false }>;

async function find(declaration: Declaration, options: ReadRootsOptions): Promise<Found> {
  if (!declaration.ok) return declaration;
  const { source, style = hostPathStyle, disk = rootsDisk } = options;
  const { declared, name, access, path, ambiguous } = declaration;
  const canonical = await canonicalise(path, style, disk);
  // The paths of a handle were canonical. If one of them is a link now, nobody gave or agreed to the place it leads to.
  if (source === 'handle' && canonical.ok && canonical.path !== path)
    return refuse(declared, 'not-found', 'it leads somewhere else now');
  if (canonical.ok) return { ok: true, declared, path: canonical.path, kind: canonical.kind, name, access };
  if (canonical.reason === 'not-found' && holdsVariable(path)) {
    return {
      ok: false,
      declared: printable(declared),
      reason: 'unexpanded',
      message: unexpandedMessage(declared),
    };
  }
  if (canonical.reason === 'not-found' && ambiguous) {
    return refuse(
      declared,
      'ambiguous',
      'nothing has this name, and an unencoded "?" or "#" may mean another',
    );
  }
  return refuse(declared, canonical.reason, canonical.state);
}

/** The other checks, in list order: broad roots, ceiling, duplicates. */
function select(found: readonly Found[], homes: readonly string[], options: ReadRootsOptions): RootList {
  const { source, style = hostPathStyle, disk = rootsDisk } = options;
  const ceiling = options.ceiling && new Ceiling(options.ceiling, style);
  const roots = new Map<string, Root>();
  const placed = new Set<string>();
  const rejected: Rejection[] = [];
  const isWanted = (kind: RootKind): boolean => options.kinds?.includes(kind) ?? true;
  const isBroadDirectory = (path: string): boolean => homes.some((home) => isBroad(path, home, style));

  for (const one of found) {
    const outcome = one.ok ? place(one) : one;
    if (outcome !== undefined) {
      rejected.push({ declared: outcome.declared, source, reason: outcome.reason, message: outcome.message });
    }
  }
  return { roots: [...roots.values()], rejected };

  function place(one: Extract<Found, { ok: true }>): Extract<Found, { ok: false }> | undefined {
    const { declared, access, kind } = one;
    // Everything that is left of it is already in the list. Thousands of roots may name the same wide place, so this is
    // not computed again.
    if (placed.has(one.path) && access === 'read-write') return duplicate(declared);
    const broad = kind === 'directory' && isBroadDirectory(one.path);
    if (broad && HINTING.has(SOURCE_KINDS[source])) {
      return refuse(declared, 'too-broad', `a whole disk or home directory is not taken from "${source}"`);
    }
    const paths = ceiling === undefined ? [one.path] : ceiling.cut(one);
    if (paths.length === 0)
      return refuse(declared, 'outside-ceiling', 'it lies outside the allowed directories');
    placed.add(one.path);
    // The first one wins, but naming a place again, or cutting a wider root to it, must not lift a restriction.
    if (access === 'read-only') for (const path of paths) restrict(path);
    const fresh = paths.filter((path) => !roots.has(path));
    if (fresh.length === 0) return duplicate(declared);
    const kindOf = (path: string): RootKind => (path === one.path ? kind : kindOfLimit(path, disk));
    const wanted = fresh.filter((path) => isWanted(kindOf(path)));
    if (wanted.length === 0) return refuse(declared, 'unwanted-kind', `it is a ${kind}, which is not taken`);
    for (const path of wanted) {
      const whole = path === one.path;
      roots.set(path, {
        uri: pathToFileUri(path, style),
        path,
        name: (whole ? one.name : undefined) ?? lastPart(path, style),
        kind: kindOf(path),
        access,
        source,
        declared,
        broad: whole ? broad : isBroadDirectory(path),
      });
    }
    return undefined;
  }

  function restrict(path: string): void {
    const root = roots.get(path);
    if (root !== undefined) roots.set(path, { ...root, access: 'read-only' });
  }
}

function refuse(declared: string, reason: RejectionReason, state: string): Extract<Found, { ok: false }> {
  const shown = printable(declared);
  return { ok: false, declared: shown, reason, message: `Cannot use "${shown}" as a root: ${state}` };
}

function duplicate(declared: string): Extract<Found, { ok: false }> {
  return refuse(declared, 'duplicate', 'an earlier root is the same place');
}

function tooMany(surplus: number, source: Source): Rejection {
  return {
    declared: `${surplus} more`,
    source,
    reason: 'too-many',
    message: `Cannot read ${surplus} more roots: at most ${MAX_ROOTS} are read`,
  };
}

/** Where the operator gave no ceiling, the operator's roots may be the ceiling, and a root may be a file. */
function kindOfLimit(path: string, disk: RootsDisk): RootKind {
  try {
    return disk.inspect(path) ?? 'directory';
  } catch {
    // It is gone or can no longer be opened: nothing can be reached through it.
    return 'directory';
  }
}

/** The home directory as given and with links resolved; as given only, if it cannot be resolved. */
export async function canonicalHomes(
  home: string,
  style: PathStyle,
  disk: RootsDisk,
): Promise<readonly string[]> {
  const reading = readAbsolutePath(home, style);
  if (!reading.ok) return [home];
  try {
    return [reading.path, await disk.realpath(reading.path)];
  } catch {
    return [reading.path];
  }
}

/** `/` and `C:\` have no last part and are returned as they are. */
function lastPart(path: string, style: PathStyle): string {
  return path.slice(path.lastIndexOf(style === 'windows' ? '\\' : '/') + 1) || path;
}
