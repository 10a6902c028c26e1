import { isAbsolute } from 'node:path';
import type { Root } from '@rootward/core';
import type { HiddenPath, Sandbox, SandboxChild, SandboxProfile } from '@rootward/sandbox';

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
  readonly server: string;
  readonly roots: readonly Root[];
  /** The folders it serves, in place of roots that are too broad. */
  readonly folders: readonly { readonly path: string }[];
  readonly program: string;
  readonly args: readonly string[];
  readonly profile: SandboxProfile;
}

/** A place for one server process, in which it can read the roots and change nothing; undefined for none. */
export async function enterSandbox(
  servers: ServerSandbox,
  { server, roots, folders, program, args, profile }: EnterOptions,
): Promise<SandboxedServer | undefined> {
  const sandbox = await servers.open(server);
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
    profile,
    denied: (await servers.denied?.(roots)) ?? [],
  });
  const shortfall = sandbox.shortfall(plan);
  return { child: sandbox.child(plan, { incomplete: true }), description: sandbox.description, shortfall };
}
