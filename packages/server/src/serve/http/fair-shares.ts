/** Who holds how many places, and which one is given up for whom. */
export class FairShares<Place> {
  /** By owner, in the order they came. */
  readonly #shares = new Map<string, Set<Place>>();
  readonly #owners = new Map<Place, string>();

  get size(): number {
    return this.#owners.size;
  }

  ownerOf(place: Place): string | undefined {
    return this.#owners.get(place);
  }

  add(owner: string, place: Place): void {
    this.#owners.set(place, owner);
    this.#shares.set(owner, (this.#shares.get(owner) ?? new Set()).add(place));
  }

  delete(place: Place): void {
    const owner = this.#owners.get(place);
    if (owner === undefined) return;
    this.#owners.delete(place);
    const share = this.#shares.get(owner);
    share?.delete(place);
    if (share?.size === 0) this.#shares.delete(owner);
  }

  /**
   * Gives up a place for one more of this owner: one of whoever has most, the oldest that is idle, or else the oldest.
   * Equal shares are fair, and those who have them would only take turns: then the owner gives up an idle one of its own.
   * Undefined where there is none.
   */
  giveUp(owner: string, isIdle: (place: Place) => boolean): Place | undefined {
    const own = this.#shares.get(owner) ?? new Set();
    let most = own;
    for (const share of this.#shares.values()) if (share.size > most.size) most = share;
    const isFair = most.size <= own.size + 1;
    const [...candidates] = isFair ? own : most;
    const leaving = candidates.find(isIdle) ?? (isFair ? undefined : candidates[0]);
    if (leaving !== undefined) this.delete(leaving);
    return leaving;
  }
}
