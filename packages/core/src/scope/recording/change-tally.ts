import type { Plan, Recorder, Recording } from './recorder.js';

/** Counts the changes that were made through a scope, also those that failed half way. */
export class ChangeTally {
  #made = 0;

  /** Whether anything was changed and not taken back. */
  get changed(): boolean {
    return this.#made > 0;
  }

  add(): void {
    this.#made += 1;
  }

  /** Returns a function to call when all that was changed since is as it was before: it is not counted then. */
  mark(): () => void {
    const made = this.#made;
    return () => {
      this.#made = made;
    };
  }
}

/** A recorder that counts changes, and passes them on to the recorder of a history, where there is one. */
export class TallyRecorder implements Recorder {
  readonly #tally: ChangeTally;
  readonly #recorder: Recorder | undefined;

  constructor(tally: ChangeTally, recorder: Recorder | undefined) {
    this.#tally = tally;
    this.#recorder = recorder;
  }

  async record(plan: Plan, signal?: AbortSignal): Promise<Recording> {
    const tally = this.#tally;
    const kept = await this.#recorder?.record(plan, signal);
    const taken = kept?.taken ?? false;
    if (taken) tally.add();
    return {
      taken,
      done: () => {
        tally.add();
        kept?.done();
      },
      partly: () => tally.add(),
      failed: () => kept?.failed(),
    };
  }
}
