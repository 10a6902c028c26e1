import type { Clock, Timer } from '@rootward/core';
import type { SessionStore } from '../../../store/session-store.js';

/** A process that was silent for so long counts as dead. */
const DEAD_MS = 6_000;
const HEARTBEAT_MS = 1_000;
/** A sign that is missing for so long is missing for good. The store may have removed it, and then it is given again. */
const MISSING_MS = 1_500;
/** How long a sign of life lasts. */
const ALIVE_MS = DEAD_MS - MISSING_MS;
/** How long nobody is declared dead after a break. */
const SETTLING_MS = 5_000;
/**
 * After so long without an answer, the store has had a break. A sign of life that was about to be given again lasts half
 * a second longer than that: none runs out in a break that is not noticed.
 */
const STEADY_MS = 3_000;
const ALIVE = 'alive';
/** Of a process that has left. */
const GONE = 'gone';
/** There while the store works; every process prolongs it. */
const STEADY = 'instances steady';
/** There until every process had the time to give a sign of life after a break. */
const SETTLING = 'instances settling';

interface LifeOptions {
  readonly clock: Clock;
  readonly onBeat: () => void;
}

/**
 * Which of the processes that share a store are there. While a store hangs, signs of life run out: nobody is declared
 * dead until it has worked for some time, as a call would be carried out twice.
 */
export class SignsOfLife {
  readonly #store: SessionStore;
  readonly #instance: string;
  readonly #options: LifeOptions;
  #beat: Timer | undefined;
  #isClosed = false;

  constructor(store: SessionStore, instance: string, options: LifeOptions) {
    this.#store = store;
    this.#instance = instance;
    this.#options = options;
  }

  /** Rejects where the first sign cannot be given. */
  async start(): Promise<void> {
    await this.#give();
    if (!this.#isClosed) this.#schedule();
  }

  /** The store is back: the next sign is due now. */
  giveNow(): void {
    if (this.#beat === undefined) return;
    this.#give().catch(() => undefined);
    this.#schedule();
  }

  /** Whoever waits for an answer looks again and again: the first look without a sign only notes that it is missing. */
  async isAlive(instance: string): Promise<boolean> {
    if (instance === this.#instance) return true;
    const sign = await this.#store.read(nameOf(instance));
    if (sign !== undefined) return sign !== GONE;
    if (!(await this.#isMissed(instance))) return true;
    const isSteady = (await this.#store.read(STEADY)) !== undefined;
    return !isSteady || (await this.#store.read(SETTLING)) !== undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#beat?.clear();
    this.#beat = undefined;
    if (!this.#store.ready) return;
    await this.#store.replace(nameOf(this.#instance), ALIVE, GONE, ALIVE_MS).catch(() => false);
  }

  #schedule(): void {
    this.#beat?.clear();
    this.#beat = this.#options.clock.setTimeout(() => {
      this.#options.onBeat();
      if (this.#store.ready) this.#give().catch(() => undefined);
      this.#schedule();
    }, HEARTBEAT_MS);
  }

  /** Noted for all processes: the one that looked first may be gone by the time that counts. */
  async #isMissed(instance: string): Promise<boolean> {
    const key = missingName(instance);
    const now = await this.#store.now();
    const since = await this.#store.read(key);
    if (since !== undefined) return now >= Number(since) + MISSING_MS;
    await this.#store.replace(key, undefined, String(now), 2 * MISSING_MS);
    return false;
  }

  async #give(): Promise<void> {
    await this.#keep(nameOf(this.#instance), ALIVE_MS);
    await this.#unmiss();
    if ((await this.#store.read(STEADY, STEADY_MS)) !== undefined) return;
    // In this order: whoever sees the second sees the first as well.
    await this.#keep(SETTLING, SETTLING_MS);
    await this.#keep(STEADY, STEADY_MS);
  }

  /** Where the store removes the sign again, it counts as missing from then on. */
  async #unmiss(): Promise<void> {
    const key = missingName(this.#instance);
    const since = await this.#store.read(key);
    if (since !== undefined) await this.#store.replace(key, since, undefined, 0);
  }

  async #keep(key: string, ttl: number): Promise<void> {
    if ((await this.#store.read(key, ttl)) !== undefined) return;
    await this.#store.replace(key, undefined, ALIVE, ttl);
  }
}

function nameOf(instance: string): string {
  return `instance:${instance}`;
}

function missingName(instance: string): string {
  return `missing:${instance}`;
}
