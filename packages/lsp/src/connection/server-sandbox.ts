import { isAbsolute } from 'node:path';
import type { Root } from '@rootward/core';
import { isObject } from '@rootward/core/platform';
import type { Environment } from '@rootward/core/platform';
import type { HiddenPath, Sandbox, SandboxChild, SandboxProfile } from '@rootward/sandbox';
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

/** A server process in its sandbox. */
export interface SandboxedServer {
  readonly child: SandboxChild;
  /** For people: level, backend and guarantee. */
  readonly description: string;
  /** What it is not held back from, although a rule says so; undefined where it is held to everything. */
  readonly shortfall: string | undefined;
}

export interface EnterOptions {
  readonly definition: ServerDefinition;
  readonly environment: Environment;
  readonly roots: readonly Root[];
  /** The folders it serves, in place of roots that are too broad. */
  readonly folders: readonly { readonly path: string }[];
  readonly program: string;
  readonly args: readonly string[];
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
  { definition, environment, roots, folders, program, args }: EnterOptions,
): Promise<SandboxedServer | undefined> {
  const { name } = definition;
  const sandbox = await servers.open(name);
  if (sandbox === undefined) return undefined;
  const narrow = roots.filter(({ broad }) => !broad);
  const served = roots.length === narrow.length ? [] : folders;
  const plan = sandbox.plan({
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
    profile: sandboxProfile(definition, environment, servers.profile?.(name)),
    denied: (await servers.denied?.(roots)) ?? [],
  });
  const shortfall = sandbox.shortfall(plan);
  return { child: sandbox.child(plan, { incomplete: true }), description: sandbox.description, shortfall };
}
