import type { Root } from '@rootward/core';
import type { CallRoots } from './call-roots.js';

/** Roots that were settled before the session began, for sessions of which there is one per root set. */
export class FixedRoots implements CallRoots {
  readonly #roots: readonly Root[];

  constructor(roots: readonly Root[]) {
    this.#roots = roots;
  }

  current(): readonly Root[] {
    return this.#roots;
  }

  declare(): { readonly mustAsk: boolean } {
    return { mustAsk: false };
  }

  begin(): Promise<readonly Root[]> {
    return Promise.resolve(this.#roots);
  }

  changed(): void {
    // What a client says about its roots decides which session it gets, not what this one has.
  }

  forCall(): Promise<readonly Root[]> {
    return Promise.resolve(this.#roots);
  }

  dispose(): void {
    // It holds nothing.
  }
}
