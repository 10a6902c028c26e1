import { seccompFilters } from '../seccomp/filter.js';
import type { Processor } from '../seccomp/system-calls.js';
import { firstFree, missing, notOnLinux, type Backend, type BackendFinding } from './backend.js';
import { Carver } from './carve.js';
import { landlockNarrowing, launcherPlan } from './landlock-plan.js';
import { findLauncher } from './launcher.js';
import { processorOf, tryProgram } from './programs.js';

/** The first version that controls truncation; without it, files outside could be emptied. */
const MIN_ABI = 3;
/** The first version that controls signals and abstract sockets. */
const SIGNALS_ABI = 6;

/** Looks for the launcher and lets it try everything it does. */
export async function findLandlock(): Promise<BackendFinding> {
  const name = 'landlock';
  const processor = processorOf();
  if (process.platform !== 'linux' || processor === undefined) return notOnLinux(name);
  const program = findLauncher();
  if (program === undefined) {
    return missing(
      name,
      'the launcher is not installed',
      `Install @rootward/sandbox-linux-${processor}, or in a clone a C compiler and run: npm run build`,
    );
  }
  const tried = await tryProgram(program, ['--probe']);
  if (!tried.ok)
    return missing(
      name,
      `the launcher does not work here: ${tried.text}`,
      'Use Linux 6.2 or newer with Landlock enabled',
    );
  const abi = Number(tried.text);
  if (!(abi >= MIN_ABI)) {
    return missing(
      name,
      `Landlock has version ${tried.text} here and ${MIN_ABI} is needed`,
      'Use Linux 6.2 or newer',
    );
  }
  return { name, backend: landlock(program, abi, processor) };
}

function landlock(program: string, abi: number, processor: Processor): Backend {
  const carver = new Carver();
  const filters = seccompFilters(processor, 'shared');
  const signals = abi >= SIGNALS_ABI ? '' : ', without rules for signals';
  return {
    name: 'landlock',
    guarantee: 'contents',
    hides: false,
    program,
    detail: `Landlock ABI ${abi}${signals}`,
    supervises: false,
    keepsHome: () => false,
    narrowing: landlockNarrowing,
    command: (request, { plan, folder }) => {
      const input = firstFree(request.descriptors);
      const bytes = launcherPlan(
        plan,
        {
          descriptors: request.descriptors,
          parent: process.pid,
          filter: filters(plan),
        },
        carver,
      );
      return {
        command: program,
        args: [String(input), folder.path, request.command, ...request.args],
        cwd: request.cwd,
        env: request.env,
        inputs: new Map([[input, bytes]]),
      };
    },
  };
}
