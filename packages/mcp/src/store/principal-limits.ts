import { partiesOf } from './parties.js';
import { keyDigest, type SessionStore } from './session-store.js';

/** How much one principal may use, over all processes that share a store. */
export interface PrincipalLimits {
  /** Each message of a batch counts. */
  readonly requestsPerSecond?: number;
  /** Of requests and answers together. */
  readonly bytesPerMinute?: number;
  /** Sessions that are open. */
  readonly sessions?: number;
}

interface MeteredRequest {
  readonly request: Request;
  readonly isOver: () => boolean;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** What a principal waits that has used its bytes. */
export const BYTES_WAIT: number = MINUTE_MS / SECOND_MS;

/** Counts what principals use. */
export class LimitCounters {
  readonly #store: SessionStore;
  readonly #limits: PrincipalLimits;

  constructor(store: SessionStore, limits: PrincipalLimits) {
    this.#store = store;
    this.#limits = limits;
  }

  /** Counts a request. The seconds until the principal may send the next one, where this one is too many. */
  async admit(principal: string, bytes: number): Promise<number | undefined> {
    const { requestsPerSecond, bytesPerMinute } = this.#limits;
    const name = nameOf(principal);
    const [requests, sum] = await Promise.all([
      requestsPerSecond === undefined ? 0 : this.#store.count(`requests:${name}`, 1, SECOND_MS),
      bytesPerMinute === undefined ? 0 : this.#store.count(`bytes:${name}`, bytes, MINUTE_MS),
    ]);
    if (bytesPerMinute !== undefined && sum > bytesPerMinute) return BYTES_WAIT;
    return requestsPerSecond !== undefined && requests > requestsPerSecond ? 1 : undefined;
  }

  /** How many messages a batch may have, where this one has more: it would not pass later either. */
  batchLimit(body: unknown): number | undefined {
    const { requestsPerSecond = Infinity } = this.#limits;
    return Array.isArray(body) && body.length > requestsPerSecond ? requestsPerSecond : undefined;
  }

  /** Counts the messages of a batch, of which the first is counted as the request. Returns what `admit` does. */
  async admitBatch(principal: string, body: unknown): Promise<number | undefined> {
    const { requestsPerSecond } = this.#limits;
    if (requestsPerSecond === undefined || !Array.isArray(body) || body.length < 2) return undefined;
    const count = await this.#store.count(`requests:${nameOf(principal)}`, body.length - 1, SECOND_MS);
    return count > requestsPerSecond ? 1 : undefined;
  }

  /**
   * The same request, whose bytes are counted as they are read, for one that does not say beforehand how many there are.
   * Where they are too many, the rest cannot be read, and `isOver` is true.
   */
  meteredRequest(principal: string, request: Request): MeteredRequest {
    const { bytesPerMinute } = this.#limits;
    const { body, method, headers, signal } = request;
    if (bytesPerMinute === undefined || body === null) return { request, isOver: () => false };
    const key = `bytes:${nameOf(principal)}`;
    let over = false;
    const meter = new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        over ||= (await this.#store.count(key, chunk.byteLength, MINUTE_MS)) > bytesPerMinute;
        if (over) controller.error(new Error('Cannot read the request: it is over the limit'));
        else controller.enqueue(chunk);
      },
    });
    const init = { method, headers, signal, body: body.pipeThrough(meter), duplex: 'half' } as const;
    return { request: new Request(request.url, init), isOver: () => over };
  }

  /** The same response, whose bytes are counted. */
  metered(principal: string, response: Response, onerror: (error: unknown) => void): Response {
    if (this.#limits.bytesPerMinute === undefined || response.body === null) return response;
    let bytes = 0;
    const count = (): void => {
      const amount = bytes;
      bytes = 0;
      if (amount > 0) this.#store.count(`bytes:${nameOf(principal)}`, amount, MINUTE_MS).catch(onerror);
    };
    const meter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        controller.enqueue(chunk);
        count();
      },
    });
    return new Response(response.body.pipeThrough(meter), response);
  }

  /** Whether a session may be opened or go on. Asked anew for a session, it keeps its place. */
  async claimSession(principal: string, session: string, ttl: number): Promise<boolean> {
    const { sessions } = this.#limits;
    if (sessions === undefined) return true;
    return this.#store.claim(`sessions:${nameOf(principal)}`, placeOf(principal, session), sessions, ttl);
  }

  async releaseSession(principal: string, session: string): Promise<void> {
    const { sessions } = this.#limits;
    if (sessions === undefined) return;
    await this.#store.claim(`sessions:${nameOf(principal)}`, placeOf(principal, session), sessions, 0);
  }
}

/** Tokens that allow less are not counted on their own: whoever can get several would have the limit several times. */
function nameOf(principal: string): string {
  return keyDigest(JSON.stringify(partiesOf(principal)));
}

/** Of the whole principal, whose session it is: another token of the same party gives back only what it took itself. */
function placeOf(principal: string, session: string): string {
  return keyDigest(JSON.stringify([principal, session]));
}
