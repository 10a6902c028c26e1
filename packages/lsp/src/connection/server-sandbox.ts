import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { containsPath, hostPathStyle, type Root } from '@rootward/core';
import { isObject, type Environment } from '@rootward/core/platform';
import type { HiddenPath, Sandbox, SandboxChild, SandboxPlan, SandboxProfile } from '@rootward/sandbox';
import { RootwardLspError } from '../error.js';
import type { ServerDefinition } from '../servers/definition.js';
import { sandboxProfile } from '../servers/sandbox-profile.js';

/** How server processes are held to the roots. */
export interface ServerSandbox {
  /** The sandbox of a server; undefined where it runs without. Rejects where one is wanted and cannot be had. */
  open(server: string): Promise<Sandbox | undefined>;
  /** What rules deny inside the roots. */
  denied?(roots: readonly Root[]): Promise<readonly HiddenPath[]>;
  /** What the operator gives a server beside the roots. */
  profile?(server: string): SandboxProfile;
}

/** `more`: it sees a place that the roots no longer cover. `less`: it only lacks something new. */
export type View = 'the same' | 'less' | 'more';

/** A server process in its sandbox. */
export interface SandboxedServer {
  readonly child: SandboxChild;
  /** For people: level, backend and guarantee. */
  readonly description: string;
  /** What it can reach although a rule denies it; undefined if it is held to every rule. */
  readonly shortfall: string | undefined;
  /** Whether it lets the server see more or less than these roots cover. Does not compare what rules deny in them. */
  sees(roots: readonly Root[]): View;
  /** Whether rules deny the same in these roots, which it covers, as they did when it was made. */
  fits(roots: readonly Root[]): Promise<boolean>;
}

export interface EnterOptions {
  readonly definition: ServerDefinition;
  readonly environment: Environment;
  readonly roots: readonly Root[];
  /** The folders it serves, in place of roots that are too broad. */
  readonly folders: readonly { readonly path: string }[];
  readonly program: string;
  readonly args: readonly string[];
  /** Private folders of ours that it may write. */
  readonly writes: readonly string[];
}

/** A place for one server process, in which it can read the roots and change nothing; undefined for none. */
export async function enterSandbox(
  servers: ServerSandbox | undefined,
  options: EnterOptions,
): Promise<SandboxedServer | undefined> {
  try {
    return servers === undefined ? undefined : await enter(servers, options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const instruction =
      isObject(cause) && typeof cause['instruction'] === 'string' ? cause['instruction'] : undefined;
    throw new RootwardLspError('start-failed', `Cannot start ${options.definition.name}: ${reason}`, {
      cause,
      ...(instruction !== undefined && { instruction }),
    });
  }
}

async function enter(
  servers: ServerSandbox,
  { definition, environment, roots, folders, program, args, writes }: EnterOptions,
): Promise<SandboxedServer | undefined> {
  const { name } = definition;
  const sandbox = await servers.open(name);
  if (sandbox === undefined) return undefined;
  const planFor = async (current: readonly Root[]): Promise<SandboxPlan> => {
    const narrow = current.filter(({ broad }) => !broad);
    const served = current.length === narrow.length ? [] : folders;
    return sandbox.plan({
      roots: [
        ...narrow,
        ...served.map(({ path }) => ({
          path,
          kind: 'directory' as const,
          access: 'read-only' as const,
          broad: false,
        })),
      ],
      readOnly: true,
      program: [program, ...args.filter(isAbsolute)],
      profile: withFolders(sandboxProfile(definition, environment, servers.profile?.(name)), writes),
      denied: (await servers.denied?.(current)) ?? [],
    });
  };
  const plan = await planFor(roots);
  return {
    child: sandbox.child(plan, { incomplete: true }),
    description: sandbox.description,
    shortfall: sandbox.shortfall(plan),
    sees: (after) => compareRoots(roots, after),
    fits: async (after) =>
      isDeepStrictEqual(pathsOf(after), pathsOf(roots)) ||
      isDeepStrictEqual((await planFor(after)).hidden, plan.hidden),
  };
}

function withFolders(profile: SandboxProfile, folders: readonly string[]): SandboxProfile {
  return { ...profile, write: [...(profile.write ?? []), ...folders] };
}

function pathsOf(roots: readonly Root[]): readonly string[] {
  return roots.map(({ path }) => path).sort();
}

/** What a server may read of roots is the same whatever their access is, and whatever other roots lie inside them. */
function compareRoots(before: readonly Root[], after: readonly Root[]): View {
  if (isDeepStrictEqual(pathsOf(before), pathsOf(after))) return 'the same';
  // The folders in place of a broad root are chosen by the others.
  if ([...before, ...after].some(({ broad }) => broad)) return 'more';
  if (!isCovered(before, after)) return 'more';
  return isCovered(after, before) ? 'the same' : 'less';
}

function isCovered(roots: readonly Root[], by: readonly Root[]): boolean {
  return roots.every(({ path }) => by.some((outer) => containsPath(outer.path, path, hostPathStyle)));
}
