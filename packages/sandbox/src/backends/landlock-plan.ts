import { foldersAround, isAtOrBelow } from '../plan/path-order.js';
import type { PlannedPath, SandboxPlan } from '../plan/plan.js';
import type { SelfMount } from './bubblewrap-arguments.js';
import { carve, type Carver, type ListFolder } from './carve.js';

/** What the launcher gets in addition to the paths. */
export interface LauncherFacts {
  readonly descriptors: readonly number[];
  readonly parent: number;
  readonly filter: Buffer;
}

const LETTERS: Readonly<Record<PlannedPath['access'], string>> = { read: 'r', write: 'w', device: 'd' };
/** The first contains raw disks and memory, the second a view of the whole system. */
const SPECIAL_PLACES: readonly string[] = ['/dev', '/proc'];

/** Around more than these, a folder is read-only instead: each costs a reading, and each entry a rule. */
const MAX_CARVED = 100;

/** A plan as the launcher reads it; see `launcher.c`. */
export function launcherPlan(
  plan: SandboxPlan,
  facts: LauncherFacts,
  carver: Pick<Carver, 'carve'>,
  list?: ListFolder,
): Buffer {
  const records = [
    ...landlockPaths(plan, carver, list).map(({ path, access }) => `${LETTERS[access]}${path}`),
    'r/proc',
    ...(plan.network ? ['n'] : []),
    ...facts.descriptors.map((descriptor) => `k${descriptor}`),
    `p${facts.parent}`,
    `f${facts.filter.toString('hex')}`,
  ];
  return recordsOf(records);
}

/** The plan of a launcher that mounts; see `launcher.c`. */
export function mountPlan(
  mounts: readonly SelfMount[],
  { descriptors, filter }: Pick<LauncherFacts, 'descriptors' | 'filter'>,
): Buffer {
  return recordsOf([
    ...mounts.map(({ path, as }) => `${as === 'pin' ? 'b' : 'o'}${path}`),
    ...descriptors.map((descriptor) => `k${descriptor}`),
    `f${filter.toString('hex')}`,
  ]);
}

function recordsOf(records: readonly string[]): Buffer {
  return Buffer.from(records.map((record) => `${record}\0`).join(''));
}

/**
 * Landlock can only allow, so what is hidden is left out by allowing everything around it. At level `write` the whole
 * home directory is left out for the same reason. A rule inside a root does NOT take anything out of it: a plan with
 * one needs a stronger backend, or says what is missing.
 */
function landlockPaths(
  plan: SandboxPlan,
  carver: Pick<Carver, 'carve'>,
  list: ListFolder | undefined,
): readonly PlannedPath[] {
  const hidden = plan.hidden.map(({ path }) => path);
  const secret = plan.hidden.flatMap(({ path, why }) => (why === 'rule' ? [] : path));
  const everything: readonly PlannedPath[] = plan.readsEverything
    ? carver.carve('/', [...hidden, plan.home, ...SPECIAL_PLACES]).map((path) => ({
        path,
        access: 'read',
        why: 'system',
      }))
    : [];
  const planned = plan.paths.flatMap((each): readonly PlannedPath[] => {
    const { path, access, why } = each;
    if (access === 'device') return [each];
    if (plan.readsEverything && why !== 'root' && access === 'read' && !isAtOrBelow(path, plan.home))
      return [];
    const parts = carver.carve(path, why === 'root' ? secret : hidden);
    if (access === 'read') return parts.map((part) => ({ path: part, access, why }));
    return parts.flatMap((part) => writableParts(part, plan, why, list));
  });
  return [...everything, ...planned];
}

/** Says where a child can make nothing, though the plan lets it; see `writableParts`. Undefined for nowhere. Pure. */
export function landlockNarrowing(plan: SandboxPlan): string | undefined {
  const carved = new Set<string>();
  for (const { path, access } of plan.paths) {
    if (access !== 'write') continue;
    const around = foldersHolding(keptIn(path, plan), path);
    if (around.size > MAX_CARVED)
      return `With Landlock ${JSON.stringify(path)} is read-only, because more than ${MAX_CARVED} folders in it hold something protected`;
    for (const folder of around) carved.add(folder);
  }
  const [first, ...others] = [...carved].sort();
  if (first === undefined) return undefined;
  const folders = others.length === 1 ? 'folder' : 'folders';
  const more = others.length === 0 ? '' : ` and ${others.length} other ${folders}`;
  return `With Landlock nothing can be made, renamed or removed directly in ${JSON.stringify(first)}${more}, because something protected is there`;
}

function keptIn(folder: string, { fixed, locked }: SandboxPlan): readonly string[] {
  return [...fixed, ...locked].filter((each) => isAtOrBelow(each, folder));
}

/** Finds the folders around what is kept, up to one that may be written. */
function foldersHolding(kept: readonly string[], folder: string): ReadonlySet<string> {
  return new Set(kept.flatMap((each) => foldersAround(each).filter((at) => isAtOrBelow(at, folder))));
}

/**
 * A folder that may be written, around what is fixed in it. In the folders around that, what is there can be changed, but
 * nothing can be made, renamed or removed.
 */
function writableParts(
  path: string,
  plan: SandboxPlan,
  why: PlannedPath['why'],
  list: ListFolder | undefined,
): readonly PlannedPath[] {
  const fixed = keptIn(path, plan);
  if (fixed.length === 0) return [{ path, access: 'write', why }];
  const whole = { path, access: 'read', why } as const;
  if (foldersHolding(fixed, path).size > MAX_CARVED) return [whole];
  return [whole, ...carve(path, fixed, list).map((part) => ({ path: part, access: 'write', why }) as const)];
}
