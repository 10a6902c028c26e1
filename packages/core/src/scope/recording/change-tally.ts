import { fstatSync } from 'node:fs';
import type { Plan, Recorder, Recording } from './recorder.js';
import { contentVersion, statsVersion } from './version.js';

/** Is told of a change, and which version of a file it wrote, as `readText()` returns it. */
export type TallyListener = (plan: Plan, version: string | undefined) => void;

/** Counts the changes that were made through a scope, also those that failed half way. */
export class ChangeTally {
  #made = 0;
  #listener: TallyListener | undefined;

  /** Whether anything was changed and not taken back. */
  get changed(): boolean {
    return this.#made > 0;
  }

  add(): void {
    this.#made += 1;
  }

  /** Has this one told of each change that was made whole. */
  listen(listener: TallyListener): void {
    this.#listener = listener;
  }

  /** A change is about to be made; returns a function to call when it is. */
  begin(plan: Plan): () => void {
    const listener = this.#listener;
    const version = listener === undefined ? undefined : versionAfter(plan);
    return () => {
      this.add();
      listener?.(plan, version);
    };
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
    const made = tally.begin(plan);
    if (taken) tally.add();
    return {
      taken,
      done: () => {
        made();
        kept?.done();
      },
      partly: () => tally.add(),
      failed: () => kept?.failed(),
    };
  }
}

/** Undefined for what is no file, and for one that is added to. */
function versionAfter(plan: Plan): string | undefined {
  if (plan.kind !== 'put' || plan.next.kind !== 'file' || plan.next.appended === true) return undefined;
  const { content } = plan.next;
  return typeof content === 'number'
    ? statsVersion(plan.path, fstatSync(content))
    : contentVersion(plan.path, content);
}
