import type { Root, Snapshot } from '@rootward/core';
import type { CallRoots } from './call-roots.js';

/** Roots that were settled before the session began, for sessions of which there is one per root set. */
export class FixedRoots implements CallRoots {
  readonly #snapshot: Snapshot;

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  snapshot(): Snapshot {
    return this.#snapshot;
  }

  current(): readonly Root[] {
    return this.#snapshot.roots;
  }

  declare(): { readonly mustAsk: boolean } {
    return { mustAsk: false };
  }

  begin(): Promise<readonly Root[]> {
    return Promise.resolve(this.#snapshot.roots);
  }

  changed(): void {
    // What a client says about its roots decides which session it gets, not what this one has.
  }

  forCall(): readonly Root[] {
    return this.#snapshot.roots;
  }

  dispose(): void {
    // There is nothing to dispose of.
  }
}
