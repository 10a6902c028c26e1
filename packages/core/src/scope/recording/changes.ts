import { hash } from 'node:crypto';
import { lstatSync, statSync, type Stats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ProcessLocks } from '../../platform/process-locks.js';
import type { Entry } from '../gate/gate.js';
import { MAX_PIN_ATTEMPTS, unstablePath, type Pin } from '../pin/pin.js';
import type { Plan, Recorder, Recording } from './recorder.js';

/** A name in a folder, which one process at a time may change. */
export interface Place {
  /** The name of its lock. */
  readonly lock: string;
  /** What is there; a final link is not followed. */
  readonly look: () => Stats | undefined;
  /** Whether its folder has another path by now, so that the plan names the wrong one. */
  readonly hasMoved: () => boolean;
}

/** A change that is ready to be made. */
export interface Prepared {
  readonly places: readonly Place[];
  readonly plan: () => Plan;
  /** Throws unless everything that the change was computed from is still there. */
  readonly check?: (() => void | Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Makes a change. A part of it that is a change on its own is made through the `Changes`, and not recorded again. */
type Make<Result> = (recording: Recording | undefined, changes: Changes) => Result | Promise<Result>;

/**
 * The only way in which a scope changes something: under the locks of the places it concerns, so that no other process
 * comes in between; checked; and noted by the recorder before it is made.
 */
export class Changes {
  readonly #locks: ProcessLocks;
  readonly #recorder: Recorder | undefined;
  /** The locks that the caller holds already. */
  readonly #held: ReadonlySet<string>;

  constructor(
    locks: ProcessLocks,
    recorder: Recorder | undefined,
    held: ReadonlySet<string> = new Set<string>(),
  ) {
    this.#locks = locks;
    this.#recorder = recorder;
    this.#held = held;
  }

  get isRecorded(): boolean {
    return this.#recorder !== undefined;
  }

  /** Runs a task while no other process changes a place. The task makes its changes through the `Changes` it is given. */
  holding<Result>(
    place: Place,
    task: (changes: Changes) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return this.#hold([place], () => task(this.#within([place], this.#recorder)), signal);
  }

  #within(places: readonly Place[], recorder: Recorder | undefined): Changes {
    return new Changes(this.#locks, recorder, new Set([...this.#held, ...places.map(({ lock }) => lock)]));
  }

  /** Makes a change, and records it first if there is a recorder. */
  commit<Result>(change: Prepared, make: Make<Result>): Promise<Result> {
    return this.#hold(change.places, () => this.#make(change, make), change.signal);
  }

  async #make<Result>({ places, plan, check, signal }: Prepared, make: Make<Result>): Promise<Result> {
    for (let attempt = 0; attempt < MAX_PIN_ATTEMPTS; attempt++) {
      const seen = places.map((place) => place.look());
      await check?.();
      const recording = await this.#recorder?.record(plan(), signal);
      try {
        if (places.some((place) => place.hasMoved())) throw unstablePath();
        // A program that knows no locks may have changed it meanwhile.
        if (recording?.taken === true || places.every((place, index) => isSame(place.look(), seen[index]))) {
          const result = await make(recording, this.#within(places, undefined));
          recording?.done();
          return result;
        }
      } catch (error) {
        recording?.failed();
        throw error;
      }
      recording?.failed();
    }
    throw unstablePath();
  }

  #hold<Result>(
    places: readonly Place[],
    task: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    const names = places.map(({ lock }) => lock).filter((lock) => !this.#held.has(lock));
    return names.length === 0 ? task() : this.#locks.hold(names, task, { signal });
  }
}

/** The place of an entry. */
export function placeOf({ parent, name, child }: Pick<Entry, 'parent' | 'name' | 'child'>): Place {
  return {
    lock: lockName(parent.stats, name),
    look: () => lstatSync(child, { throwIfNoEntry: false }),
    hasMoved: () => parent.hasMoved(),
  };
}

/** The place of a pinned file, whose folder may be out of scope. */
export function placeOfPin(pin: Pin): Place {
  return {
    lock: lockName(statSync(dirname(pin.path)), basename(pin.path)),
    look: () => statSync(pin.self, { throwIfNoEntry: false }),
    hasMoved: () => !isInPlace(pin),
  };
}

/** Whether the name of a pinned file still leads to it. */
export function isInPlace({ path, stats }: Pin): boolean {
  const there = lstatSync(path, { throwIfNoEntry: false });
  return there?.ino === stats.ino && there.dev === stats.dev;
}

/** One name for all the ways in which a disk may write it. */
function lockName({ dev, ino }: Stats, name: string): string {
  return hash('sha256', `${dev}:${ino}:${name.normalize().toLowerCase()}`, 'hex');
}

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  return (
    one?.ino === other?.ino &&
    one?.dev === other?.dev &&
    one?.size === other?.size &&
    one?.mtimeMs === other?.mtimeMs &&
    one?.mode === other?.mode
  );
}
