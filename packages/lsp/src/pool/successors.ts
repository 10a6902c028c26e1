import type { PoolLimits } from './limits.js';
import type { ServedFolder } from './server-instance.js';
import type { ServerSlot } from './server-slot.js';

/** A server that will take over from another. */
export interface Successor {
  readonly slot: ServerSlot;
  /** Resolves when it has taken over, or failed to. */
  readonly settled: Promise<void>;
}

/**
 * Servers that are started beside one whose sandbox no longer matches the roots. It goes on answering, filtered by the
 * scope as ever, until its successor has read its folders: otherwise every change of the roots would cost the next
 * question a start.
 */
export class Successors {
  readonly #limits: PoolLimits;
  readonly #starting = new Map<string, Successor>();
  readonly #retiring = new Set<ServerSlot>();

  constructor(limits: PoolLimits) {
    this.#limits = limits;
  }

  get(key: string): Successor | undefined {
    return this.#starting.get(key);
  }

  /** Starts a successor; one that was starting already has missed a change. `takeOver` puts it into its place. */
  start(
    key: string,
    slots: { readonly before: ServerSlot; readonly next: ServerSlot },
    folders: readonly ServedFolder[],
    takeOver: (slot: ServerSlot) => void,
  ): void {
    const { before, next } = slots;
    this.abandon(key);
    const settle = async (): Promise<void> => {
      await this.#start(next, folders);
      if (this.#starting.get(key)?.slot !== next) return;
      this.#starting.delete(key);
      takeOver(next);
      void this.#retire(before);
    };
    this.#starting.set(key, { slot: next, settled: settle() });
  }

  /** Ends a successor that is not needed any more. */
  abandon(key: string): void {
    const successor = this.#starting.get(key);
    if (successor === undefined) return;
    this.#starting.delete(key);
    void this.#retire(successor.slot);
  }

  async dispose(): Promise<void> {
    for (const key of this.#starting.keys()) this.abandon(key);
    await Promise.all([...this.#retiring].map((slot) => slot.dispose()));
  }

  kill(): void {
    for (const { slot } of this.#starting.values()) slot.kill();
    for (const slot of this.#retiring) slot.kill();
  }

  /** A successor that fails takes over as well: it says why it failed, and the server before it must not go on. */
  async #start(slot: ServerSlot, folders: readonly ServedFolder[]): Promise<void> {
    try {
      const { readiness } = await slot.use(folders);
      await readiness.wait(this.#limits.settleTimeout);
    } catch {
      // Its slot keeps the reason.
    }
  }

  /** Lets the questions under way end first. */
  async #retire(slot: ServerSlot): Promise<void> {
    this.#retiring.add(slot);
    await slot.instance?.untilIdle(this.#limits.requestTimeout);
    await slot.dispose();
    this.#retiring.delete(slot);
  }
}
