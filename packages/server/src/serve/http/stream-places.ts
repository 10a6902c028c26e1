import type { ServerResponse } from 'node:http';
import { FairShares } from './fair-shares.js';

/** Of the places for connections, in tenths. The rest is for requests: a stream keeps its place for hours. */
const TENTHS_FOR_STREAMS = 9;

/**
 * Shares the places for streams without an end of their own. They are fewer than the connections that there may be, so
 * that clients which only listen leave room for requests, their own among them. Where they are full, whoever has most of
 * them makes way for whoever has fewer.
 */
export class StreamPlaces {
  readonly #places: number;
  readonly #open = new FairShares<ServerResponse>();

  /** `places`: for connections that have shown a token. */
  constructor(places: number) {
    this.#places = Math.floor((places * TENTHS_FOR_STREAMS) / 10);
  }

  /** False where there is no place for one more stream of this owner. */
  take(owner: string, response: ServerResponse): boolean {
    if (this.#open.size >= this.#places) {
      // Somebody listens to each.
      const leaving = this.#open.giveUp(owner, () => false);
      if (leaving === undefined) return false;
      leaving.destroy();
    }
    this.#open.add(owner, response);
    response.once('close', () => this.#open.delete(response));
    return true;
  }
}
