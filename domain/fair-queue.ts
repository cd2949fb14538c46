/** Where an item waits. Lower lanes are served first; within a lane, shares (workspace ids) are served fairly. */
export type QueuePlace = { lane: number; share: string };

/** An item that was taken. It counts towards its share until `release` is called. */
export type TakenItem<Item> = { item: Item; place: QueuePlace; release: () => void };

/**
 * A queue of work for a few slots that many shares use. `take` returns an item of the lowest lane; within the lane, of the share
 * that has the fewest taken items; among equals, of the share that was served longest ago. So one share gets all slots while it
 * is alone, and never more than its part while another one waits. Items of one share are taken in the order of `add`.
 */
export class FairQueue<Item> {
  /** By lane, then by share, in the order of their turns. */
  readonly #lanes: Map<string, Item[]>[];
  readonly #taken = new Map<string, number>();
  readonly #maxPerShare: number;
  #size = 0;

  /** `maxPerShare`: most taken items of one share at the same time. */
  constructor(laneCount: number, { maxPerShare = Infinity }: { maxPerShare?: number | undefined } = {}) {
    this.#maxPerShare = maxPerShare;
    this.#lanes = Array.from({ length: laneCount }, () => new Map<string, Item[]>());
  }

  /** The number of items that wait. */
  get size(): number {
    return this.#size;
  }

  /** Whether items wait in a lane. */
  hasWaiting(lane: number): boolean {
    return (this.#lanes[lane]?.size ?? 0) > 0;
  }

  add(item: Item, { lane, share }: QueuePlace): void {
    const shares = this.#lanes[lane];
    if (!shares) throw new RangeError(`there is no lane ${lane}`);
    const items = shares.get(share);
    if (items) items.push(item);
    else shares.set(share, [item]);
    this.#size += 1;
  }

  /** Takes the next item from the lanes up to `maxLane`; null when they have none that may be taken. */
  take(maxLane = this.#lanes.length - 1): TakenItem<Item> | null {
    for (const [lane, shares] of this.#lanes.entries()) {
      if (lane > maxLane) break;
      const share = this.#nextShare(shares);
      const items = share === null ? undefined : shares.get(share);
      const item = items?.shift();
      if (share === null || items === undefined || item === undefined) continue;
      shares.delete(share);
      if (items.length > 0) shares.set(share, items);
      this.#size -= 1;
      return { item, place: { lane, share }, release: this.#countTaken(share) };
    }
    return null;
  }

  /** Removes and returns the waiting items that match. */
  remove(matches: (item: Item) => boolean): Item[] {
    const removed: Item[] = [];
    for (const shares of this.#lanes) {
      for (const [share, items] of shares) {
        const kept = items.filter((item) => !matches(item));
        if (kept.length === items.length) continue;
        removed.push(...items.filter(matches));
        if (kept.length > 0) shares.set(share, kept);
        else shares.delete(share);
      }
    }
    this.#size -= removed.length;
    return removed;
  }

  #nextShare(shares: ReadonlyMap<string, Item[]>): string | null {
    let next: string | null = null;
    for (const share of shares.keys()) {
      if (this.#takenBy(share) >= this.#maxPerShare) continue;
      if (next === null || this.#takenBy(share) < this.#takenBy(next)) next = share;
    }
    return next;
  }

  #takenBy(share: string): number {
    return this.#taken.get(share) ?? 0;
  }

  #countTaken(share: string): () => void {
    this.#taken.set(share, this.#takenBy(share) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = this.#takenBy(share) - 1;
      if (left > 0) this.#taken.set(share, left);
      else this.#taken.delete(share);
    };
  }
}
