import type { FileState } from '../journal/entry-state.js';
import { isSameSighting, type Sighting } from './sightings.js';

const MAX_REMEMBERED = 100_000;

/** What files held when they were last kept, so that a file that looks the same is not read again. */
export class Surveyed {
  readonly #known = new Map<string, { readonly sighting: Sighting; readonly state: FileState }>();
  readonly #isKept: (hash: string) => boolean;

  constructor(isKept: (hash: string) => boolean) {
    this.#isKept = isKept;
  }

  get(path: string, sighting: Sighting): FileState | undefined {
    const known = this.#known.get(path);
    if (known === undefined || !isSameSighting(known.sighting, sighting)) return undefined;
    return known.state.hash !== undefined && this.#isKept(known.state.hash) ? known.state : undefined;
  }

  set(path: string, sighting: Sighting, state: FileState): void {
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(path, { sighting, state });
  }
}
