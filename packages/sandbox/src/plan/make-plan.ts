import { isAbsolute, join } from 'node:path';
import type { Root } from '@rootward/core';
import { RootwardSandboxError } from '../error.js';
import type { HostFacts } from './host-facts.js';
import type { SandboxLevel } from '../level.js';
import { foldersAround, isAtOrBelow, outerFirst, outermost } from './path-order.js';
import type { HiddenPath, PathAccess, PlannedPath, SandboxPlan } from './plan.js';

/** The part of a root that matters to the system. */
export type PlannedRoot = Pick<Root, 'path' | 'kind' | 'access' | 'broad'>;

/** What a program needs beside the roots. Paths may start with `~/`; those that do not exist are left out. */
export interface SandboxProfile {
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  /** Only used at level `strict`: `write` always has the network. */
  readonly network?: boolean;
}

/** Everything a plan is made from. */
export interface PlanInput {
  readonly level: Exclude<SandboxLevel, 'off'>;
  readonly roots: readonly PlannedRoot[];
  readonly host: HostFacts;
  /** Folders of the program that is to run; see `installationOf`. */
  readonly program?: readonly string[];
  readonly profile?: SandboxProfile;
  /** Roots may be read only, whatever their access says. */
  readonly readOnly?: boolean;
  /** What nobody may see, such as what rules deny inside the roots; see `findDenied`. */
  readonly denied?: readonly HiddenPath[];
  /** Files and folders that steer programs of the user; see `SteeringFinder`. Roots may be among them. */
  readonly fixed?: readonly string[];
  /** Files and folders that rules make read-only; roots may be among them. */
  readonly locked?: readonly string[];
}

/** What one child may touch. Pure: facts about the machine come from `host`. */
export function makePlan(input: PlanInput): SandboxPlan {
  const { level, host, profile = {} } = input;
  refuseBroad(input.roots);
  refuseDenied(input);
  const network = level === 'write' || profile.network === true;
  const named = namedPaths(profile, host.home);
  const readOnly = input.roots.filter(({ access }) => access === 'read-only' || input.readOnly === true);
  const { fixed = [] } = input;
  const locked = [...readOnly.map(({ path }) => path), ...(input.locked ?? [])];
  const open = input.roots.filter(isOpen(input)).map(({ path }) => path);
  // A read-only root always wins, also over a root inside it.
  const writable = open.filter((path) => !locked.some((outer) => isAtOrBelow(path, outer)));
  const fixedRoots = writable.filter((path) => fixed.some((outer) => isAtOrBelow(path, outer)));
  const roots = open.map((path): PlannedPath => {
    const isWritable = writable.includes(path) && !fixedRoots.includes(path);
    return { path, access: isWritable ? 'write' : 'read', why: 'root' };
  });
  const paths = mergePaths([
    ...host.system.map(allowed('read', 'system')),
    ...[...host.runtimes, ...(input.program ?? [])]
      .filter((path) => !isOfSystem(path, host))
      .map(allowed('read', 'runtime')),
    ...(network ? host.resolver.map(allowed('read', 'system')) : []),
    ...host.devices.map(allowed('device', 'device')),
    // A root decides about what is in it.
    ...named.filter(({ path, access }) => access === 'write' || !isInRoot(path, input.roots)),
    ...roots,
  ]);
  const hidden = hiddenPaths(input, named);
  const hiddenSet = new Set(hidden.map(({ path }) => path));
  const inWritable = (given: readonly string[] = []): readonly string[] =>
    outermost(given).filter((path) => {
      const allowing = paths.findLast((each) => isAtOrBelow(path, each.path));
      if (allowing?.access !== 'write') return false;
      return ![path, ...foldersAround(path)].some(
        (each) => hiddenSet.has(each) && isAtOrBelow(each, allowing.path),
      );
    });
  return {
    level,
    readsEverything: level === 'write',
    paths,
    links: host.links,
    hidden,
    fixed: inWritable(fixed),
    fixedRoots,
    locked: inWritable(input.locked),
    network,
    home: host.home,
    homeLinks: named
      .map(({ path }) => path)
      .filter((path) => path !== host.home && isAtOrBelow(path, host.home)),
  };
}

/** Names that are denied at any depth of a broad root cannot be found in time. */
function refuseBroad(roots: readonly PlannedRoot[]): void {
  const broad = roots.find((root) => root.broad);
  if (broad === undefined) return;
  throw new RootwardSandboxError(
    'broad-root',
    `Cannot make a sandbox for the root ${JSON.stringify(broad.path)}: it contains the home directory, and the secrets in it cannot be hidden`,
    { instruction: 'Open the folder of the project as a root, or set the sandbox to off for this program' },
  );
}

/** Refuses a first root that rules deny, since programs start in it. Any other such root is hidden. */
function refuseDenied(input: PlanInput): void {
  const [first] = input.roots;
  if (first === undefined || isOpen(input)(first)) return;
  throw new RootwardSandboxError(
    'denied-root',
    `Cannot make a sandbox for the root ${JSON.stringify(first.path)}: its rules refuse everything, or cannot be read`,
    { instruction: 'Correct the .rootward.json in it and in the folders above it, or remove the root' },
  );
}

function isOpen({ denied = [] }: PlanInput): (root: PlannedRoot) => boolean {
  const refused = denied.filter(({ why }) => why === 'rule');
  return ({ path }) => !refused.some((hidden) => isAtOrBelow(path, hidden.path));
}

function isInRoot(path: string, roots: readonly PlannedRoot[]): boolean {
  return roots.some((root) => isAtOrBelow(path, root.path));
}

function isOfSystem(path: string, { system, links }: HostFacts): boolean {
  return [...system, ...links.map((link) => link.path)].some((top) => isAtOrBelow(path, top));
}

function allowed(access: PathAccess, why: PlannedPath['why']): (path: string) => PlannedPath {
  return (path) => ({ path, access, why });
}

function namedPaths({ read = [], write = [] }: SandboxProfile, home: string): readonly PlannedPath[] {
  const expand = (path: string): string => {
    const full = path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
    if (isAbsolute(full) && !isAtOrBelow(home, full)) return full;
    throw new RootwardSandboxError(
      'invalid-option',
      `Cannot allow ${JSON.stringify(path)} in the sandbox: it is not an absolute path below the home directory or beside it`,
    );
  };
  return [
    ...read.map((path) => allowed('read', 'named')(expand(path))),
    ...write.map((path) => allowed('write', 'named')(expand(path))),
  ];
}

/** One entry for each path: that of a root decides, else the wider access. */
function mergePaths(paths: readonly PlannedPath[]): readonly PlannedPath[] {
  const merged = new Map<string, PlannedPath>();
  for (const each of paths) {
    const before = merged.get(each.path);
    if (before !== undefined && before.why !== 'root' && before.access === 'write' && each.why !== 'root')
      continue;
    // Of two roots with the same path, the read-only one wins.
    if (before?.why === 'root' && before.access === 'read') continue;
    merged.set(each.path, each);
  }
  return [...merged.values()].sort(outerFirst);
}

/** A credential that was named itself, or is a root, is not hidden; one inside a named folder is. */
function hiddenPaths(input: PlanInput, named: readonly PlannedPath[]): readonly HiddenPath[] {
  const wanted = new Set([...input.roots, ...named].map(({ path }) => path));
  const all = [...input.host.credentials.filter(({ path }) => !wanted.has(path)), ...(input.denied ?? [])];
  const byPath = new Map(all.map((each) => [each.path, each]));
  return outermost(byPath.keys()).flatMap((path) => byPath.get(path) ?? []);
}

const REASONS: Readonly<Record<HiddenPath['why'], (path: string) => string>> = {
  rule: (path) => `a rule denies ${path} inside a root`,
  credential: (path) => `programs keep credentials in ${path} inside a root`,
  kept: (path) => `Rootward keeps ${path} inside a root for itself`,
};

/**
 * Why a plan needs a backend that can hide something inside an allowed folder; undefined if any backend will do. What
 * must not be changed does NOT count: such a backend keeps the folders around it from being changed. Pure.
 */
export function needsFull({ paths, hidden, locked: [locked] }: SandboxPlan): string | undefined {
  const roots = paths.filter(({ why }) => why === 'root');
  const found = hidden.find(({ path }) => roots.some((root) => isAtOrBelow(path, root.path)));
  if (found !== undefined) return REASONS[found.why](JSON.stringify(found.path));
  const readOnly = roots.find(
    ({ path, access }) =>
      access === 'read' && paths.some((outer) => outer.access === 'write' && isAtOrBelow(path, outer.path)),
  );
  if (readOnly !== undefined)
    return `the read-only root ${JSON.stringify(readOnly.path)} lies inside a folder that may be written`;
  return locked === undefined
    ? undefined
    : `a rule makes ${JSON.stringify(locked)} read-only inside a root that may be written`;
}
