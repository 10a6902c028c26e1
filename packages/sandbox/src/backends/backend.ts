import type { PrivateFolder, SandboxFolder } from '../child/private-folder.js';
import type { BackendName, Guarantee } from '../level.js';
import type { SandboxPlan } from '../plan/plan.js';

/** What is to run, before the sandbox. */
export interface CommandRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Descriptors above 2 that the child is to have; those of the sandbox come after the highest. */
  readonly descriptors: readonly number[];
}

/** What is to be started instead. */
export interface SandboxedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the starter reads from descriptors of its own, by number in the child. */
  readonly inputs: ReadonlyMap<number, Buffer>;
}

/** Where one child lives. */
export interface ChildPlace {
  readonly plan: SandboxPlan;
  readonly folder: PrivateFolder;
  readonly shared: SandboxFolder;
  /** Of this process, to be closed. */
  readonly inherited: readonly number[];
}

/** A way to carry out plans that was tried on this machine and works. */
export interface Backend {
  readonly name: BackendName;
  readonly guarantee: Guarantee;
  /** Can take something out of an allowed folder. */
  readonly hides: boolean;
  /** The program that starts children. */
  readonly program: string;
  /** For people, such as a version. */
  readonly detail: string;
  /** The spawned process stays beside the child, and ends everything the child started when it ends. */
  readonly supervises: boolean;
  /** Whether a child at this level sees the user's home directory. */
  keepsHome(plan: SandboxPlan): boolean;
  command(request: CommandRequest, place: ChildPlace): SandboxedCommand;
  /** Says in a sentence for people how a child may do less than the plan says; undefined where it may do all. */
  narrowing?(plan: SandboxPlan): string | undefined;
}

/** Whether a backend works on this machine, and why not. */
export type BackendFinding =
  | { readonly name: BackendName; readonly backend: Backend }
  | {
      readonly name: BackendName;
      readonly backend: undefined;
      readonly reason: string;
      readonly instruction: string;
    };

/** A backend that does not work here. */
export function missing(name: BackendName, reason: string, instruction: string): BackendFinding {
  return { name, backend: undefined, reason, instruction };
}

/** The same for a backend that another system has. */
export function notOnLinux(name: BackendName): BackendFinding {
  return missing(name, 'it exists on Linux only', 'Use another system');
}

/** The first number after those that the child is to have. */
export function firstFree(descriptors: readonly number[]): number {
  return Math.max(2, ...descriptors) + 1;
}
