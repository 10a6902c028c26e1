import { RootwardSandboxError } from '../error.js';
import { isAtOrBelow, outerFirst } from '../plan/path-order.js';
import { pinnedFolders } from '../plan/pinned-folders.js';
import type { HiddenPath, PlannedPath, SandboxPlan } from '../plan/plan.js';
import type { ChildPlace } from './backend.js';

/** bubblewrap takes at most 9,000 arguments, and each path needs three. */
const MAX_HIDDEN = 2000;
const MAX_SELF = 500;
/** Not the host's, whatever the level. */
const PRIVATE_PLACES: readonly string[] = ['/tmp', '/dev', '/proc'];

/** Flags that every child gets; the probe tries the same. */
export const ISOLATION: readonly string[] = [
  '--die-with-parent',
  '--new-session',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--cap-drop',
  'ALL',
];

interface Mount {
  readonly path: string;
  readonly args: readonly string[];
}

/** A folder, file or link that is mounted onto itself. */
export interface SelfMount {
  readonly path: string;
  /** `pin`: it cannot be renamed or removed. `fix`: it cannot be changed either. */
  readonly as: 'pin' | 'fix';
}

/** What is mounted onto itself so that nothing protected can be changed, or moved from under its protection. Pure. */
export function selfMounts(plan: SandboxPlan, { shared }: Pick<ChildPlace, 'shared'>): readonly SelfMount[] {
  const kept = [...plan.fixed, ...plan.locked];
  return [
    ...pinnedFolders(plan, [shared.path]).map((path) => ({ path, as: 'pin' }) as const),
    ...kept.map((path) => ({ path, as: 'fix' }) as const),
  ].sort(outerFirst);
}

/** The options of bubblewrap for a plan, without what the launcher mounts. Pure. */
export function bubblewrapArguments(
  plan: SandboxPlan,
  place: Pick<ChildPlace, 'folder' | 'shared'>,
  { self, launcher }: { readonly self: readonly SelfMount[]; readonly launcher?: string | undefined },
): readonly string[] {
  const visible = visiblePaths(plan);
  const hidden = plan.hidden.filter(({ path }) => isVisible(path, plan, visible));
  if (hidden.length > MAX_HIDDEN) throw tooMany('hide', hidden.length, MAX_HIDDEN);
  if (self.length > MAX_SELF) throw tooMany('protect', self.length, MAX_SELF);
  const mounts: Mount[] = [
    ...visible.map((each) => bind(each)),
    ...(launcher === undefined ? [] : [{ path: launcher, args: ['--ro-bind', launcher, launcher] }]),
    ...hidden.map((each) => hide(each, visible, place)),
    ...self.map(({ path, as }) => ({
      path,
      args: [as === 'pin' ? '--bind-try' : '--ro-bind-try', path, path],
    })),
    ...ownFolders(place, visible),
  ];
  return [
    ...ISOLATION,
    ...(plan.network ? [] : ['--unshare-net']),
    ...(plan.readsEverything ? ['--ro-bind', '/', '/'] : []),
    ...PRIVATE_MOUNTS,
    ...(plan.readsEverything ? [] : plan.links.flatMap(({ path, target }) => ['--symlink', target, path])),
    ...mounts.sort(outerFirst).flatMap(({ args }) => args),
    ...(plan.readsEverything ? [] : ['--remount-ro', '/']),
  ];
}

const PRIVATE_MOUNTS: readonly string[] = ['--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'];

/** What has to be mounted: where everything is readable, only what differs or lies in a private place. */
function visiblePaths({ paths, readsEverything }: SandboxPlan): readonly PlannedPath[] {
  return paths.filter((each, index) => {
    if (each.access === 'device') return false;
    if (readsEverything && each.why === 'system') return false;
    // A folder inside one that is already there with the same rights: a process that writes there could replace it by a
    // link.
    return !paths
      .slice(0, index)
      .some((outer) => outer.access === each.access && isAtOrBelow(each.path, outer.path));
  });
}

function isVisible(path: string, plan: SandboxPlan, visible: readonly PlannedPath[]): boolean {
  if (visible.some((each) => isAtOrBelow(path, each.path))) return true;
  return plan.readsEverything && !PRIVATE_PLACES.some((place) => isAtOrBelow(path, place));
}

function bind({ path, access, why }: PlannedPath): Mount {
  const option = access === 'write' ? '--bind' : '--ro-bind';
  // If a root is gone, the start fails; any other missing path is left out.
  return { path, args: [why === 'root' ? option : `${option}-try`, path, path] };
}

/** Unreadable rather than empty, so that a program fails instead of working with nothing. */
function hide(
  { path, kind }: HiddenPath,
  visible: readonly PlannedPath[],
  { shared }: Pick<ChildPlace, 'shared'>,
): Mount {
  // Something allowed lies inside: it needs a place to be mounted at.
  if (visible.some((each) => isAtOrBelow(each.path, path))) return { path, args: ['--tmpfs', path] };
  return { path, args: ['--ro-bind', kind === 'directory' ? shared.emptyFolder : shared.emptyFile, path] };
}

function ownFolders(
  { folder, shared }: Pick<ChildPlace, 'folder' | 'shared'>,
  visible: readonly PlannedPath[],
): readonly Mount[] {
  const isInView = visible.some((each) => isAtOrBelow(shared.path, each.path));
  return [
    // It must not see those of other children.
    ...(isInView ? [{ path: shared.path, args: ['--tmpfs', shared.path] }] : []),
    { path: folder.path, args: ['--bind', folder.path, folder.path] },
  ];
}

function tooMany(action: 'hide' | 'protect', count: number, most: number): RootwardSandboxError {
  return new RootwardSandboxError(
    'too-many-files',
    `Cannot ${action} ${count} files and folders inside the roots: at most ${most} are possible here`,
    {
      instruction:
        action === 'hide'
          ? 'Deny their folders instead'
          : 'Open a smaller folder as a root, or install our launcher',
    },
  );
}
