import { describeSkipped, searchProgram, type Environment } from '@rootward/core/platform';
import { seccompFilters } from '../seccomp/filter.js';
import type { Processor } from '../seccomp/system-calls.js';
import { firstFree, missing, notOnLinux, type Backend, type BackendFinding } from './backend.js';
import { bubblewrapArguments, ISOLATION } from './bubblewrap-arguments.js';
import { processorOf, tryProgram } from './programs.js';

const NOTHING = Buffer.alloc(0);
const INSTALL = 'Install bubblewrap, for example with: apt-get install bubblewrap';
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
  '--',
  '/bin/sh',
  '-c',
  'exit 0',
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
  const tried = await tryProgram(program, PROBE);
  if (!tried.ok) {
    return missing(
      name,
      `bwrap does not work here: ${tried.text}`,
      'Allow unprivileged user namespaces, or use --sandbox-backend landlock',
    );
  }
  return {
    name,
    backend: bubblewrap(program, `${version.text}, ${program}${describeSkipped(skipped)}`, processor),
  };
}

function bubblewrap(program: string, detail: string, processor: Processor): Backend {
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
      const filter = firstFree(request.descriptors);
      // bubblewrap passes on every descriptor it gets; those that are not for the child are replaced by an empty file.
      const unmeant = place.inherited.filter((each) => !request.descriptors.includes(each));
      return {
        command: program,
        args: [
          ...bubblewrapArguments(place.plan, place),
          '--seccomp',
          String(filter),
          '--chdir',
          request.cwd,
          '--',
          request.command,
          ...request.args,
        ],
        cwd: '/',
        env: request.env,
        inputs: new Map([...unmeant.map((each) => [each, NOTHING] as const), [filter, filters(place.plan)]]),
      };
    },
  };
}
