import type { Scope } from '../scope/scope.js';
import type { ChangeRecorder } from './change-recorder.js';
import type { History } from './history.js';
import type { FileState, PutStep } from './journal/entry-state.js';
import { compareSightings } from './survey/compare.js';
import { takeSightings, type Sighting } from './survey/sightings.js';

/** What looking at the roots before and after a program may cost. */
export interface SurveyLimits {
  /** For each of the two surveys. */
  readonly maxMs: number;
  /** How much is read and newly kept before one run. */
  readonly maxBytes: number;
  readonly maxFiles: number;
}

const defaultSurveyLimits: SurveyLimits = {
  maxMs: 2000,
  maxBytes: 64 * 1024 * 1024,
  maxFiles: 50_000,
};

/** File times may be this coarse: a file changed shortly before may change again with the same time. */
const COARSE_MS = 2000;

/**
 * What is in the read-write roots before a program runs that is not ours, so that what it changes can be taken back.
 * Looks at everything but what `.gitignore` leaves out. Does NOT see what is changed and changed back, nor who did it.
 */
export class Survey {
  readonly #history: History;
  readonly #scope: Scope;
  readonly #limits: SurveyLimits;
  readonly #before: ReadonlyMap<string, Sighting>;
  readonly #kept: ReadonlyMap<string, FileState>;
  readonly #complete: boolean;
  readonly #began: number;
  readonly #notKept: number;

  private constructor(
    history: History,
    scope: Scope,
    limits: SurveyLimits,
    seen: { before: Map<string, Sighting>; kept: Map<string, FileState>; complete: boolean; notKept: number },
  ) {
    this.#history = history;
    this.#scope = scope;
    this.#limits = limits;
    this.#before = seen.before;
    this.#kept = seen.kept;
    this.#complete = seen.complete;
    this.#notKept = seen.notKept;
    this.#began = Date.now();
  }

  /** Looks at the roots and keeps what is there, as far as the limits allow. */
  static async begin(
    history: History,
    scope: Scope,
    options: { readonly limits?: Partial<SurveyLimits>; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Survey> {
    const limits = { ...defaultSurveyLimits, ...options.limits };
    const until = performance.now() + limits.maxMs;
    // Done even if there is nothing to keep yet, because what the program makes is noted afterwards.
    await history.attempt(() => undefined);
    const { sightings: before, complete } = await takeSightings(
      scope,
      limits.maxFiles,
      until,
      options.signal,
    );
    const kept = new Map<string, FileState>();
    let budget = limits.maxBytes;
    let notKept = 0;
    for (const [path, sighting] of before) {
      options.signal?.throwIfAborted();
      if (sighting.kind !== 'file') continue;
      const known = history.surveyed.get(path, sighting);
      const fits =
        sighting.size <= Math.min(budget, history.limits.maxFileBytes) && performance.now() < until;
      const state = known ?? (fits ? await keep(history, scope, path) : undefined);
      if (state === undefined) {
        notKept += 1;
        continue;
      }
      if (known === undefined) budget -= sighting.size;
      kept.set(path, state);
      history.surveyed.set(path, sighting, state);
    }
    return new Survey(history, scope, limits, { before, kept, complete, notKept });
  }

  /** Looks again, and records the differences as one change. The caller calls `finish()`. */
  async end(recorder: ChangeRecorder): Promise<void> {
    const until = performance.now() + this.#limits.maxMs;
    const { sightings: after, complete } = await takeSightings(this.#scope, this.#limits.maxFiles, until);
    const steps = await compareSightings(this.#before, after, {
      // A file that was not seen before may still have existed.
      createdAreKnown: this.#complete,
      removedAreKnown: complete,
      doubtful: this.#began - COARSE_MS,
      formerState: (path, sighting) => this.#formerState(path, sighting),
      scope: this.#scope,
    });
    if (steps.length === 0) return;
    recorder.note(steps[0]?.path ?? '', steps, this.#notes(steps, complete));
  }

  #formerState(path: string, { size, mode }: Sighting): FileState {
    const lost = size > this.#history.limits.maxFileBytes ? 'too-large' : 'not-kept';
    return this.#kept.get(path) ?? { kind: 'file', size, mode, lost };
  }

  #notes(steps: readonly PutStep[], complete: boolean): readonly string[] {
    const lost = steps.filter(({ before }) => before.kind === 'file' && before.lost !== undefined).length;
    return [
      'seen by looking before and after; what .gitignore leaves out was not looked at',
      ...(this.#complete && complete ? [] : ['there was too much to look at all of it']),
      ...(this.#notKept === 0 ? [] : [`${this.#notKept} files were not kept before it ran`]),
      ...(lost === 0 ? [] : [`${lost} of the changed files cannot be restored`]),
    ];
  }
}

/** Undefined if it is gone, cannot be read, or cannot be kept. */
async function keep(history: History, scope: Scope, path: string): Promise<FileState | undefined> {
  const handle = await scope.open(path).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { mode, size } = await handle.stat();
    const content = await history.attempt(({ contents }) => contents.keep(handle.fd, size, undefined));
    return content && { kind: 'file', mode: mode & 0o7777, ...content };
  } finally {
    await handle.close();
  }
}
