import type { StdioOptions } from 'node:child_process';
import { closeSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend, CommandRequest, SandboxedCommand } from './backends/backend.js';
import { inheritedDescriptors } from './child/inherited-descriptors.js';
import { SandboxFolder, type PrivateFolder } from './child/private-folder.js';
import { RootwardSandboxError } from './error.js';
import type { HostFacts } from './plan/host-facts.js';
import { installationOf } from './host/runtimes.js';
import type { BackendName, Guarantee, SandboxLevel } from './level.js';
import { makePlan, needsFull, type PlanInput } from './plan/make-plan.js';
import { isAtOrBelow } from './plan/path-order.js';
import type { SandboxPlan } from './plan/plan.js';

/** What a plan needs beside what the sandbox knows itself. */
export interface PlanRequest extends Omit<PlanInput, 'level' | 'host' | 'program'> {
  /** The files that are to run; their folders become readable. */
  readonly program?: string | readonly string[];
  /** Default: that of the sandbox. */
  readonly level?: Exclude<SandboxLevel, 'off'>;
}

/** What is to run inside. */
export interface RunRequest extends Omit<CommandRequest, 'descriptors'> {
  /** What `spawn` would have been given without a sandbox. */
  readonly stdio: readonly StdioEntry[];
}

/** One entry of the option `stdio` of `spawn`. */
export type StdioEntry = Extract<StdioOptions, readonly unknown[]>[number];

/** What to hand to `spawn`. */
export interface Spawnable extends Omit<SandboxedCommand, 'inputs'> {
  readonly stdio: StdioEntry[];
  /** Closes the descriptors that only the child needs. Call it after `spawn` has returned. */
  spawned(): void;
}

/** Enforces plans on children, with one backend, at one level. Made by `openSandbox`. */
export class Sandbox implements Disposable {
  readonly level: Exclude<SandboxLevel, 'off'>;
  readonly host: HostFacts;
  readonly #backend: Backend;
  readonly #parent: string | undefined;
  /** Made with the first child. */
  #folder: SandboxFolder | undefined;
  #inherited: readonly number[] | undefined;

  constructor(options: {
    readonly level: Exclude<SandboxLevel, 'off'>;
    readonly backend: Backend;
    readonly host: HostFacts;
    readonly folder: string | undefined;
  }) {
    this.level = options.level;
    this.host = options.host;
    this.#backend = options.backend;
    this.#parent = options.folder;
  }

  get backend(): BackendName {
    return this.#backend.name;
  }

  get guarantee(): Guarantee {
    return this.#backend.guarantee;
  }

  /** For people: level, backend and guarantee. */
  get description(): string {
    return `${this.level}, ${this.#backend.name} (${this.#backend.detail}), guarantee ${this.#backend.guarantee}`;
  }

  /** What a child may touch. */
  plan({ program, ...request }: PlanRequest): SandboxPlan {
    return makePlan({
      ...request,
      level: request.level ?? this.level,
      host: this.host,
      program: [program ?? []].flat().flatMap((file) => installationOf(file, this.host.home)),
    });
  }

  /** Why this sandbox cannot enforce a plan completely; undefined if it can. */
  shortfall(plan: SandboxPlan): string | undefined {
    const reason = this.#backend.hides ? undefined : (needsFull(plan) ?? this.#ownFolderIn(plan));
    return reason === undefined
      ? undefined
      : `${reason}, which needs guarantee full and ${this.#backend.name} gives ${this.#backend.guarantee}`;
  }

  /** Says in a sentence for people how a child may do less than a plan says; undefined where it may do all. */
  narrowing(plan: SandboxPlan): string | undefined {
    const [root] = plan.fixedRoots;
    return root === undefined
      ? this.#backend.narrowing?.(plan)
      : `${JSON.stringify(root)} is read-only, because nothing less protects what steers programs there, such as a link`;
  }

  /**
   * Makes a place for one child: a temporary folder and a home directory of its own. Throws if the plan cannot be
   * enforced completely, unless `incomplete` is set.
   */
  child(plan: SandboxPlan, options: { readonly incomplete?: boolean } = {}): SandboxChild {
    const shortfall = options.incomplete === true ? undefined : this.shortfall(plan);
    if (shortfall !== undefined) {
      throw new RootwardSandboxError('needs-full', `Cannot start in the sandbox: ${shortfall}`, {
        instruction: 'Install bubblewrap, remove the rule, or set the sandbox to off for this program',
      });
    }
    this.#refuseOwnProgramInside(plan);
    refuseMovedRoots(plan);
    // Systems remove temporary files after some days.
    if (this.#folder?.isThere !== true) this.#folder = new SandboxFolder(this.#parent);
    this.#inherited ??= inheritedDescriptors();
    const folder = this.#folder.add(plan.home, plan.homeLinks);
    return new SandboxChild(this.#backend, plan, folder, this.#folder, this.#inherited);
  }

  dispose(): void {
    this.#folder?.dispose();
    this.#folder = undefined;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** A child that can write there could change what the next one is held to. */
  #ownFolderIn({ paths }: SandboxPlan): string | undefined {
    const parent = canonical(this.#parent ?? tmpdir());
    const root = paths.find(
      ({ path, access }) => access === 'write' && (parent === undefined || isAtOrBelow(parent, path)),
    );
    return root === undefined
      ? undefined
      : `the temporary folder ${JSON.stringify(parent)} lies inside ${JSON.stringify(root.path)}, which may be written`;
  }

  /** A child that can write there could choose what runs without a sandbox. */
  #refuseOwnProgramInside({ paths }: SandboxPlan): void {
    const { program, name } = this.#backend;
    const root = paths.find(({ path, why }) => why === 'root' && isAtOrBelow(program, path));
    if (root === undefined) return;
    throw new RootwardSandboxError(
      'unavailable',
      `Cannot start in the sandbox: the program of ${name} lies inside the root ${JSON.stringify(root.path)}`,
      { instruction: 'Install it outside the workspace' },
    );
  }
}

/** One child: what it is started with, and its private folders. */
export class SandboxChild implements Disposable {
  readonly plan: SandboxPlan;
  readonly #backend: Backend;
  readonly #folder: PrivateFolder;
  readonly #shared: SandboxFolder;
  readonly #inherited: readonly number[];

  constructor(
    backend: Backend,
    plan: SandboxPlan,
    folder: PrivateFolder,
    shared: SandboxFolder,
    inherited: readonly number[],
  ) {
    this.#backend = backend;
    this.plan = plan;
    this.#folder = folder;
    this.#shared = shared;
    this.#inherited = inherited;
  }

  /** The spawned process is not the program itself. When it is killed, everything inside ends. */
  get supervised(): boolean {
    return this.#backend.supervises;
  }

  /** The private temporary folder: the same path inside and outside. */
  get temp(): string {
    return this.#folder.path;
  }

  /** Turns what is to run into what to spawn. */
  command({ stdio, ...request }: RunRequest): Spawnable {
    const { inputs, ...command } = this.#backend.command(
      {
        ...request,
        env: this.#environment(request.env),
        descriptors: stdio.map((_, descriptor) => descriptor),
      },
      { plan: this.plan, folder: this.#folder, shared: this.#shared, inherited: this.#inherited },
    );
    const opened = new Map<number, number>();
    for (const [descriptor, bytes] of inputs) opened.set(descriptor, this.#shared.openInput(bytes));
    const length = Math.max(stdio.length, ...[...opened.keys()].map((descriptor) => descriptor + 1));
    return {
      ...command,
      stdio: Array.from(
        { length },
        (_, descriptor) => opened.get(descriptor) ?? stdio[descriptor] ?? 'ignore',
      ),
      spawned: () => {
        for (const source of opened.values()) closeSync(source);
      },
    };
  }

  /** Removes what the child has left behind; settles when that is done. Call it when the child is gone. */
  dispose(): Promise<void> {
    return this.#folder.remove();
  }

  [Symbol.dispose](): void {
    void this.dispose();
  }

  #environment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const { path } = this.#folder;
    const own = {
      TMPDIR: path,
      ...(this.#backend.keepsHome(this.plan) ? {} : { HOME: path, ...xdg(env, path) }),
    };
    return { ...env, ...own };
  }
}

/** Variables that name places below the home directory, which the private one takes over. */
const XDG: Readonly<Record<string, string>> = {
  XDG_CACHE_HOME: '.cache',
  XDG_CONFIG_HOME: '.config',
  XDG_DATA_HOME: '.local/share',
  XDG_STATE_HOME: '.local/state',
};

function xdg(env: Readonly<Record<string, string>>, home: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(XDG).flatMap(([name, place]) => (name in env ? [[name, join(home, place)]] : [])),
  );
}

/** A root that has become a link since it was read leads somewhere else. */
function refuseMovedRoots({ paths }: SandboxPlan): void {
  for (const { path, why } of paths) {
    if (why !== 'root' || canonical(path) === path) continue;
    throw new RootwardSandboxError(
      'not-found',
      `Cannot start in the sandbox: the root ${JSON.stringify(path)} is gone or was replaced by a link`,
    );
  }
}

function canonical(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
