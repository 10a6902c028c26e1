import { withDeepGroups } from './groups.js';
import { freedomOf } from './measure.js';
import { DEEP, splitByName } from './names.js';

type Test = (text: string) => boolean;

/** A glob over relative paths with `/`. */
export interface GlobMatcher {
  matches(path: string): boolean;
  /** The same, or any folder above it does; also where a path is too deep to tell. */
  matchesOrAbove(path: string): boolean;
}

/**
 * A glob as `compile`, usually picomatch, understands it. One regular expression over a whole path would try the ways
 * to match one name for each way to match another, which takes hours with a few stars in two names; where that can be,
 * each name is matched on its own.
 */
export function globMatcher(glob: string, compile: (glob: string) => Test): GlobMatcher {
  const names = splitByName(glob);
  if (names !== undefined) return new NameMatcher(names, compile);
  return new WholeMatcher(compile(withDeepGroups(glob)), freedomOf(glob) > 0);
}

/** Far deeper than people nest folders. With a glob that can move, 200 names take 10 ms and 2,000 take ten seconds. */
const MAX_DEPTH = 200;

class WholeMatcher implements GlobMatcher {
  readonly matches: Test;
  readonly #canMove: boolean;

  constructor(test: Test, canMove: boolean) {
    this.matches = test;
    this.#canMove = canMove;
  }

  matchesOrAbove(path: string): boolean {
    let depth = 1;
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) {
      if (this.matches(path.slice(0, end))) return true;
      // This must not take long, and in doubt the path is denied.
      if (++depth > MAX_DEPTH && this.#canMove) return true;
    }
    return this.matches(path);
  }
}

/** Goes through a path once, with every place in the glob that the names so far can have led to. */
class NameMatcher implements GlobMatcher {
  /** Undefined for any number of names. */
  readonly #tests: readonly (Test | undefined)[];
  /** Where only `**` are left. */
  readonly #tail: number;
  /** Whether these may stand for no name at all depends on the name before them, as `compile` has it. */
  readonly #mayEnd: Test;

  constructor(names: readonly string[], compile: (glob: string) => Test) {
    const compiled = new Map(names.filter((name) => name !== DEEP).map((name) => [name, compile(name)]));
    this.#tests = names.map((name) => compiled.get(name));
    this.#tail = names.findLastIndex((name) => name !== DEEP) + 1;
    this.#mayEnd = compile(names.slice(Math.max(0, this.#tail - 1)).join('/'));
  }

  matches(path: string): boolean {
    return this.#run(path, false);
  }

  matchesOrAbove(path: string): boolean {
    return this.#run(path, true);
  }

  #run(path: string, orAbove: boolean): boolean {
    if (path === '') return false;
    let places = this.#withSkipped([0]);
    let accepted = false;
    for (const name of path.split('/')) {
      if (accepted && orAbove) return true;
      const before = places;
      places = this.#withSkipped(this.#after(before, name));
      if (places.size === 0) return false;
      accepted = this.#accepts(before, places, name);
    }
    return accepted;
  }

  #accepts(before: ReadonlySet<number>, places: ReadonlySet<number>, name: string): boolean {
    if (!places.has(this.#tests.length)) return false;
    return this.#tail === this.#tests.length || before.has(this.#tail) || this.#mayEnd(name);
  }

  #after(places: ReadonlySet<number>, name: string): number[] {
    const next: number[] = [];
    for (const place of places) {
      if (place === this.#tests.length) continue;
      const test = this.#tests[place];
      if (test === undefined) next.push(place);
      else if (test(name)) next.push(place + 1);
    }
    return next;
  }

  #withSkipped(places: readonly number[]): ReadonlySet<number> {
    const all = new Set(places);
    // A set yields what is added on the way.
    for (const place of all) {
      if (place < this.#tests.length && this.#tests[place] === undefined) all.add(place + 1);
    }
    return all;
  }
}
