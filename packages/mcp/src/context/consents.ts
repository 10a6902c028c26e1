import { survivingConsents, type Root, type Snapshot } from '@rootward/core';

/**
 * Places that the user agreed to where nothing else is kept between requests. Over stdio all requests come from one
 * client, so a consent lasts as long as the process. Over HTTP it travels in a handle instead.
 */
export class Consents {
  #roots: readonly Root[] = [];
  /** What the client gave with its last answer. */
  #given: readonly Root[] = [];

  get roots(): readonly Root[] {
    return this.#roots;
  }

  /** Takes over what a request added. */
  addFrom({ roots }: Snapshot): void {
    const isNew = ({ path, source }: Root): boolean =>
      source === 'consent' && !this.#roots.some((known) => known.path === path);
    this.#roots = [...this.#roots, ...roots.filter(isNew)];
  }

  /** Notes an answer of the client. Returns true if it took away a place that the user had agreed to. */
  note({ trace }: Snapshot): boolean {
    const given = trace.find(({ source }) => source === 'client')?.roots ?? [];
    const kept = survivingConsents(this.#roots, this.#given, given);
    this.#given = given;
    const isLess = kept.length < this.#roots.length;
    this.#roots = kept;
    return isLess;
  }
}
