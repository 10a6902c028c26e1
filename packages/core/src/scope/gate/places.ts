import { dirname } from 'node:path';
import { canonicalPlaces } from '../../protected/canonical-places.js';
import type { ProtectedPlace } from '../../protected/place.js';
import { protectedPlaces } from '../../protected/register.js';
import { foldCase } from './letter-case.js';
import { PathIndex } from './path-index.js';

/** The places of the register that have an absolute path, by that path. */
export class Places {
  readonly hidden: PathIndex<ProtectedPlace> = new PathIndex();
  readonly fixed: PathIndex<ProtectedPlace> = new PathIndex();
  /** One of the places in each folder that holds some. */
  readonly #holders = new Map<string, ProtectedPlace>();

  /** Expects canonical places. */
  constructor(places: readonly ProtectedPlace[]) {
    for (const place of places) {
      if (place.where !== 'at') continue;
      const index = place.protection === 'hidden' ? this.hidden : this.fixed;
      const key = foldCase(place.path);
      const known = index.get(key);
      // The stricter of two entries for one place counts.
      if (known === undefined || (known.unlessNamed && !place.unlessNamed)) index.set(key, place);
      for (let folder = key; !this.#holders.has(folder); folder = dirname(folder)) {
        this.#holders.set(folder, place);
      }
    }
  }

  /** A protected place in a folder, which would move with it. */
  inside(folder: string): ProtectedPlace | undefined {
    return this.#holders.get(folder);
  }
}

/** The same for every scope of a fence, and the largest part of its memory: over HTTP, each session has a scope. */
const KNOWN = new WeakMap<readonly unknown[], Places>();

/** The index of a list of canonical places. */
export function placesOf(places: readonly ProtectedPlace[]): Places {
  return remembered(places, () => new Places(places));
}

/** What is protected for users whose home directories are known, and their environment is not. */
export function placesAtHome(homes: readonly string[]): Places {
  return remembered(
    homes,
    () => new Places(canonicalPlaces(homes.flatMap((home) => protectedPlaces({ environment: {}, home })))),
  );
}

function remembered(key: readonly unknown[], make: () => Places): Places {
  const known = KNOWN.get(key);
  if (known !== undefined) return known;
  const places = make();
  // A list that can still change could name another place later.
  if (Object.isFrozen(key)) KNOWN.set(key, places);
  return places;
}
