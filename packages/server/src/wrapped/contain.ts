import { existsSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import type { Root } from '@rootward/core';
import { programCandidates } from '@rootward/core/platform';
import { openSandbox, type WantedLevel } from '@rootward/sandbox';
import type { Launch, Run } from '@rootward/wrap';
import type { SandboxSettings } from '../settings/values/sandbox-settings.js';

/** A sandbox that is ready. */
export interface Containment {
  /** For people. */
  readonly description: string;
  readonly contain: (launch: Launch, roots: readonly Root[]) => Promise<Run>;
}

/** How each start of the server is put into a sandbox; undefined where there is none. Rejects where none can be had. */
export async function openContainment(
  {
    level,
    backend,
    require,
    network,
    read = [],
    write = [],
  }: SandboxSettings & { readonly level: WantedLevel },
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Containment | undefined> {
  const sandbox = await openSandbox({ level, backend, require, environment });
  if (sandbox === undefined) return undefined;
  process.once('exit', () => sandbox.dispose());
  return {
    description: sandbox.description,
    contain: async (launch, roots) => {
      const program = programOf(launch.command, environment);
      const empty = {
        path: launch.directory,
        kind: 'directory',
        access: 'read-write',
        broad: false,
      } as const;
      const plan = sandbox.plan({
        roots: roots.length === 0 ? [empty] : roots,
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

function defined(environment: Launch['environment']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function programOf(command: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (command.includes(sep)) return command;
  return programCandidates(command, environment).find((path) => existsSync(path)) ?? command;
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
