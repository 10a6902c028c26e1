import type { ServerResponse } from 'node:http';

/** Of the places for connections, in tenths. The rest is for requests: a stream keeps its place for hours. */
const TENTHS_FOR_STREAMS = 9;

/**
 * Shares the places for streams without an end of their own. They are fewer than the connections that there may be, so
 * that clients which only listen leave room for requests, their own among them. Where they are full, whoever has most of
 * them makes way for whoever has fewer.
 */
export class StreamPlaces {
  readonly #places: number;
  /** By owner, in the order they came. */
  readonly #open = new Map<string, Set<ServerResponse>>();
  #count = 0;

  /** `places`: for connections that have shown a token. */
  constructor(places: number) {
    this.#places = Math.floor((places * TENTHS_FOR_STREAMS) / 10);
  }

  /** False where there is no place for one more stream of this owner. */
  take(owner: string, response: ServerResponse): boolean {
    if (this.#count >= this.#places && !this.#makeRoom(owner)) return false;
    this.#open.set(owner, (this.#open.get(owner) ?? new Set()).add(response));
    this.#count += 1;
    response.once('close', () => this.#forget(owner, response));
    return true;
  }

  #makeRoom(owner: string): boolean {
    const own = this.#open.get(owner)?.size ?? 0;
    let [most, size] = [owner, own];
    for (const [name, responses] of this.#open)
      if (responses.size > size) [most, size] = [name, responses.size];
    const [oldest] = this.#open.get(most) ?? [];
    // Equal shares are fair, and those who have them would only take turns.
    if (oldest === undefined || size <= own + 1) return false;
    this.#forget(most, oldest);
    oldest.destroy();
    return true;
  }

  #forget(owner: string, response: ServerResponse): void {
    const responses = this.#open.get(owner);
    if (responses?.delete(response) !== true) return;
    this.#count -= 1;
    if (responses.size === 0) this.#open.delete(owner);
  }
}
