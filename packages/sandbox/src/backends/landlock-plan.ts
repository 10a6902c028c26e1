import { isAtOrBelow } from '../plan/path-order.js';
import type { PlannedPath, SandboxPlan } from '../plan/plan.js';
import type { Carver } from './carve.js';

/** What the launcher gets in addition to the paths. */
export interface LauncherFacts {
  readonly descriptors: readonly number[];
  readonly parent: number;
  readonly filter: Buffer;
}

const LETTERS: Readonly<Record<PlannedPath['access'], string>> = { read: 'r', write: 'w', device: 'd' };
/** The first contains raw disks and memory, the second a view of the whole system. */
const SPECIAL_PLACES: readonly string[] = ['/dev', '/proc'];

/** A plan as the launcher reads it; see `launcher.c`. */
export function launcherPlan(plan: SandboxPlan, facts: LauncherFacts, carver: Pick<Carver, 'carve'>): Buffer {
  const records = [
    ...landlockPaths(plan, carver).map(({ path, access }) => `${LETTERS[access]}${path}`),
    'r/proc',
    ...(plan.network ? ['n'] : []),
    ...facts.descriptors.map((descriptor) => `k${descriptor}`),
    `p${facts.parent}`,
    `f${facts.filter.toString('hex')}`,
  ];
  return Buffer.from(records.map((record) => `${record}\0`).join(''));
}

/**
 * Landlock can only allow, so what is hidden is left out by allowing everything around it; only a root keeps what is
 * inside it. At level `write` the whole home directory is left out for the same reason.
 */
function landlockPaths(plan: SandboxPlan, carver: Pick<Carver, 'carve'>): readonly PlannedPath[] {
  const hidden = plan.hidden.map(({ path }) => path);
  const everything: readonly PlannedPath[] = plan.readsEverything
    ? carver.carve('/', [...hidden, plan.home, ...SPECIAL_PLACES]).map((path) => ({
        path,
        access: 'read',
        why: 'system',
      }))
    : [];
  const planned = plan.paths.flatMap((each): readonly PlannedPath[] => {
    if (each.why === 'root' || each.why === 'device') return [each];
    if (plan.readsEverything && each.access === 'read' && !isAtOrBelow(each.path, plan.home)) return [];
    const { access, why } = each;
    return carver.carve(each.path, hidden).map((path) => ({ path, access, why }));
  });
  return [...everything, ...planned];
}
