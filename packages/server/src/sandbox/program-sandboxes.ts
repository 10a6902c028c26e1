import type { ProtectedPlace, Scope } from '@rootward/core';
import type { Sandbox, SandboxChild, SteeringFinder, WantedLevel } from '@rootward/sandbox';
import type { Environment } from '../settings/from-environment.js';
import type { SandboxGrant, SandboxSettings } from '../settings/values/sandbox-settings.js';
import { RootwardServerError } from '../error.js';
import { findLimits, type RootLimits } from './find-limits.js';
import { levelOf, profileOf } from './program-profile.js';

export interface ProgramSandboxesOptions {
  readonly settings: SandboxSettings;
  readonly environment: Environment;
  /** Whether the operator or the user denies something inside the roots. */
  readonly denies: () => boolean;
  /** The register of protected places, by canonical paths. */
  readonly places: readonly ProtectedPlace[];
}

/** One run of an executable. */
export interface ExecutableRun {
  readonly name: string;
  readonly file: string;
  readonly scope: Scope;
  /** What it asks for itself. */
  readonly wishes: SandboxGrant;
  /** Folders it cannot do without. */
  readonly read: readonly string[];
  readonly signal: AbortSignal;
}

/** A child in its sandbox, and its description for people. */
export interface SandboxedRun {
  readonly child: SandboxChild;
  readonly description: string;
  /** A sentence that says how it may do less than the roots allow; undefined where it may do all. */
  readonly narrowing: string | undefined;
}

/** The sandboxes of a server: made with the first child that needs one, by what the operator said about its program. */
export class ProgramSandboxes implements Disposable {
  readonly #options: ProgramSandboxesOptions;
  /** By level. */
  readonly #opened = new Map<WantedLevel, Promise<Sandbox | undefined>>();
  readonly #made: Disposable[] = [];
  /** Made with the first look, since it starts processes. */
  #finder: Promise<SteeringFinder> | undefined;

  constructor(options: ProgramSandboxesOptions) {
    this.#options = options;
  }

  /**
   * Rejects with `configuration` where a level that the operator asked for cannot be provided. Returns a sentence for the
   * operator where `auto` was asked for and means no sandbox.
   */
  async check(): Promise<string | undefined> {
    const { level, programs = {} } = this.#options.settings;
    const levels = new Set([level, ...Object.values(programs).map((program) => program.level)]);
    try {
      for (const each of levels) if (each === 'write' || each === 'strict') await this.open(each);
    } catch (error) {
      throw unavailable(error);
    }
    if (!levels.has('auto') || (await this.open('auto')) !== undefined) return undefined;
    return 'no sandbox works here, so with level auto programs run without one; the command doctor says why';
  }

  /** The sandbox for a level; undefined for none. */
  open(level: WantedLevel): Promise<Sandbox | undefined> {
    let opened = this.#opened.get(level);
    if (opened === undefined) {
      opened = this.#open(level);
      this.#opened.set(level, opened);
    }
    return opened;
  }

  /** The sandbox of a language server, by its name. */
  openFor(server: string): Promise<Sandbox | undefined> {
    return this.open(levelOf(this.#options.settings, server, 'auto'));
  }

  /** What rules take out of roots. */
  async limits(scope: Scope, signal?: AbortSignal): Promise<RootLimits> {
    const { denies, places } = this.#options;
    this.#finder ??= this.#openFinder();
    return findLimits(scope, { denies: denies(), places, finder: await this.#finder }, signal);
  }

  /** A place for one run of an executable; undefined where it runs without a sandbox. */
  async enter({ name, file, scope, wishes, read, signal }: ExecutableRun): Promise<SandboxedRun | undefined> {
    const { settings } = this.#options;
    const sandbox = await this.open(levelOf(settings, name, 'off'));
    if (sandbox === undefined) return undefined;
    const profile = profileOf(settings, name, wishes, sandbox.host.home);
    const plan = sandbox.plan({
      roots: scope.roots,
      ...(await this.limits(scope, signal)),
      program: file,
      profile: { ...profile, read: [...read, ...(profile.read ?? [])] },
    });
    const { description } = sandbox;
    return { child: sandbox.child(plan), description, narrowing: sandbox.narrowing(plan) };
  }

  dispose(): void {
    for (const each of this.#made.splice(0)) each[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  async #openFinder(): Promise<SteeringFinder> {
    const { SteeringFinder } = await import('@rootward/sandbox');
    const finder = new SteeringFinder(
      this.#options.places.flatMap(({ where, path }) => (where === 'any-depth' ? path : [])),
    );
    this.#made.push(finder);
    return finder;
  }

  async #open(level: WantedLevel): Promise<Sandbox | undefined> {
    if (level === 'off') return undefined;
    const { openSandbox } = await import('@rootward/sandbox');
    const { settings, environment } = this.#options;
    const { backend, require } = settings;
    const sandbox = await openSandbox({ level, backend, require, environment });
    if (sandbox !== undefined) this.#made.push(sandbox);
    return sandbox;
  }
}

function unavailable(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const instruction =
    'instruction' in error && typeof error.instruction === 'string' ? error.instruction : undefined;
  const message = instruction === undefined ? error.message : `${error.message}. ${instruction}`;
  return new RootwardServerError('configuration', message, { cause: error });
}
