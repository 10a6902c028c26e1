import { describeSkipped, searchProgram, type Environment } from '@rootward/core/platform';
import { seccompFilters } from '../seccomp/filter.js';
import type { Processor } from '../seccomp/system-calls.js';
import { firstFree, missing, notOnLinux, type Backend, type BackendFinding } from './backend.js';
import { isAtOrBelow } from '../plan/path-order.js';
import type { SandboxPlan } from '../plan/plan.js';
import { bubblewrapArguments, ISOLATION, selfMounts } from './bubblewrap-arguments.js';
import { mountPlan } from './landlock-plan.js';
import { findLauncher } from './launcher.js';
import { processorOf, tryProgram } from './programs.js';

const NOTHING = Buffer.alloc(0);
const INSTALL = 'Install bubblewrap, for example with: apt-get install bubblewrap';
/** What the launcher needs to mount, and then to give up for good. */
const MOUNTING: readonly string[] = ['--cap-add', 'CAP_SYS_ADMIN', '--cap-add', 'CAP_SETPCAP'];
/**
 * bubblewrap reads the list of all mounts for each mount: 20 take 5 ms, 100 take 70 ms and 400 take 250 ms. The launcher
 * takes 1 ms to start, and 3 ms for 400.
 */
const MANY_MOUNTS = 12;
/** Everything a plan may use, so that what works here works there. */
const PROBE: readonly string[] = [
  ...ISOLATION,
  '--unshare-net',
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--tmpfs',
  '/tmp',
];

/**
 * Looks for bubblewrap and runs it once: many systems have it but do not allow it to work. That happens before the roots
 * are known, so only programs of the system count.
 */
export async function findBubblewrap(environment: Environment): Promise<BackendFinding> {
  const name = 'bubblewrap';
  const processor = processorOf();
  if (process.platform !== 'linux' || processor === undefined) return notOnLinux(name);
  const { found, skipped } = searchProgram('bwrap', { environment, roots: undefined });
  if (found === undefined) return missing(name, `bwrap is not installed${describeSkipped(skipped)}`, INSTALL);
  const program = found.canonical;
  const version = await tryProgram(program, ['--version']);
  const launcher = findLauncher();
  const [tried, mounting] = await Promise.all([
    tryProgram(program, [...PROBE, '--', '/bin/sh', '-c', 'exit 0']),
    launcher === undefined
      ? undefined
      : tryProgram(program, [...PROBE, ...MOUNTING, '--', launcher, '--probe-mount']),
  ]);
  if (!tried.ok) {
    return missing(
      name,
      `bwrap does not work here: ${tried.text}`,
      'Allow unprivileged user namespaces, or use --sandbox-backend landlock',
    );
  }
  const detail = `${version.text}, ${program}${describeSkipped(skipped)}`;
  return {
    name,
    backend: bubblewrap(program, detail, processor, mounting?.ok === true ? launcher : undefined),
  };
}

function bubblewrap(
  program: string,
  detail: string,
  processor: Processor,
  launcher: string | undefined,
): Backend {
  const filters = seccompFilters(processor, 'isolated');
  return {
    name: 'bubblewrap',
    guarantee: 'full',
    hides: true,
    program,
    detail,
    supervises: true,
    keepsHome: ({ readsEverything }) => readsEverything,
    command: (request, place) => {
      const { plan } = place;
      const input = firstFree(request.descriptors);
      // bubblewrap passes on every descriptor it gets; those that are not for the child are emptied.
      const unmeant = place.inherited.filter((each) => !request.descriptors.includes(each));
      const nothing = unmeant.map((each) => [each, NOTHING] as const);
      const self = selfMounts(plan, place);
      const mounter = self.length < MANY_MOUNTS || isWritable(launcher, plan) ? undefined : launcher;
      const mounts = bubblewrapArguments(plan, place, {
        self: mounter === undefined ? self : [],
        launcher: mounter,
      });
      const start =
        mounter === undefined
          ? ['--seccomp', String(input), '--chdir', request.cwd, '--']
          : [...MOUNTING, '--', mounter, '--mount', String(input), request.cwd];
      const bytes =
        mounter === undefined
          ? filters(plan)
          : mountPlan(self, { descriptors: request.descriptors, filter: filters(plan) });
      return {
        command: program,
        args: [...mounts, ...start, request.command, ...request.args],
        cwd: '/',
        env: request.env,
        inputs: new Map([...nothing, [input, bytes]]),
      };
    },
  };
}

/** A child before this one could have put another program in its place. */
function isWritable(program: string | undefined, { paths }: SandboxPlan): boolean {
  return (
    program !== undefined &&
    paths.some(({ path, access }) => access === 'write' && isAtOrBelow(program, path))
  );
}
