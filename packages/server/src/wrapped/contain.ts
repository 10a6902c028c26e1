import { existsSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { readPathRoots, type Fence, type Root, type Sources } from '@rootward/core';
import type { WantedLevel } from '@rootward/sandbox';
import type { Launch, Run } from '@rootward/wrap';
import { RootwardServerError } from '../error.js';
import type { ProgramSandboxes } from '../sandbox/program-sandboxes.js';
import type { SandboxSettings } from '../settings/values/sandbox-settings.js';
import type { ScopeMaker } from '../settings/workspace-rules.js';

/** What a wrapped server is held to. */
export interface ContainmentOptions {
  readonly level: WantedLevel;
  readonly settings: SandboxSettings;
  readonly sandboxes: ProgramSandboxes;
  /** What rules leave of roots. */
  readonly createScope: ScopeMaker['create'];
  readonly sources: Sources;
  /** Where this process was started. */
  readonly directory: string;
}

/** A sandbox that is ready. */
export interface Containment {
  /** For people. */
  readonly description: string;
  readonly contain: (launch: Launch, roots: readonly Root[]) => Promise<Run>;
}

/**
 * How each start of the server is put into a sandbox, with what the rules leave of its roots at that moment; undefined
 * where there is none. Rejects where none can be had. What rules deny later does NOT hold for a process that runs.
 */
export async function openContainment({
  level,
  settings: { network, read = [], write = [] },
  sandboxes,
  createScope,
  sources,
  directory,
}: ContainmentOptions): Promise<Containment | undefined> {
  const sandbox = await sandboxes.open(level);
  if (sandbox === undefined) return undefined;
  return {
    description: sandbox.description,
    contain: async (launch, given) => {
      const program = launch.command;
      const roots =
        given.length > 0
          ? given
          : await startingRoots(launch, { sources, isHere: launch.directory === directory });
      const scope = createScope({ roots, fence: await fenceNow(sources) });
      const plan = sandbox.plan({
        roots: scope.roots,
        ...(await sandboxes.limits(scope)),
        program,
        profile: { network, read: [...read, ...launch.args.flatMap(installationOf)], write },
      });
      const child = sandbox.child(plan);
      const run = child.command({
        command: program,
        args: launch.args,
        cwd: launch.directory,
        env: defined(launch.environment),
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      return {
        command: run.command,
        args: run.args,
        directory: run.cwd,
        environment: run.env,
        stdio: run.stdio,
        spawned: () => run.spawned(),
        ended: () => child.dispose(),
      };
    },
  };
}

/**
 * While there are no roots: the empty folder that the server is started in. One that only starts where this process was
 * started may read that folder, as far as the ceiling allows it.
 */
async function startingRoots(
  { directory: path }: Launch,
  { sources: { reading }, isHere }: { readonly sources: Sources; readonly isHere: boolean },
): Promise<readonly Root[]> {
  const { roots, rejected } = isHere
    ? await readPathRoots([{ path, access: 'read-only' }], { ...reading, source: 'cwd' })
    : await readPathRoots([{ path }], { home: reading.home, source: 'cwd' });
  if (roots.length > 0) return roots;
  throw new RootwardServerError(
    'configuration',
    `Cannot start the server in ${JSON.stringify(path)}: ${rejected[0]?.message ?? 'it is gone'}`,
  );
}

/** Rules are tied to the folders that the operator named, and one of them may have appeared since the start. */
async function fenceNow({ again, fence }: Sources): Promise<Fence> {
  try {
    return (await again?.())?.fence ?? fence;
  } catch {
    // A file with roots is being written, or is broken now.
    return fence;
  }
}

function defined(environment: Launch['environment']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A script reads what was installed with it: all of its `node_modules`, or the package it is in. */
function installationOf(arg: string): readonly string[] {
  if (!isAbsolute(arg) || arg.includes(delimiter) || !isFile(arg)) return [];
  const modules = arg.indexOf(`${sep}node_modules${sep}`);
  if (modules !== -1) return [join(arg.slice(0, modules), 'node_modules')];
  for (let folder = dirname(arg); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return [folder];
  }
  return [dirname(arg)];
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
