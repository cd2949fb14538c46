/** How long the size of the largest page of a list is remembered, and of how many lists. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

type Known = { bytes: number; limit: number; untilMs: number };

/** A page of a list: `limit` is the most rows that it can have. */
export type AskedPage = { list: string; limit: number };

/**
 * The sizes of the largest pages of late. What is known about pages of some `limit` says nothing about those of a greater one. Only
 * pages that were sent are remembered: an error says nothing about the next page.
 */
export class PageSizes {
  readonly #known = new Map<string, Known>();

  /** Returns null when no page with this limit or a greater one was read of late. */
  sizeOf({ list, limit }: AskedPage): number | null {
    const known = this.#find(list);
    return known === null || known.limit < limit ? null : known.bytes;
  }

  remember({ list, limit }: AskedPage, bytes: number): void {
    const known = this.#find(list);
    const isLargest = known === null || known.bytes <= bytes;
    if (!isLargest && limit <= known.limit) return;
    // Removed first, so that the oldest is first in the map.
    this.#known.delete(list);
    this.#known.set(list, {
      bytes: isLargest ? bytes : known.bytes,
      limit: Math.max(limit, known?.limit ?? 0),
      untilMs: isLargest ? performance.now() + REMEMBERED_MS : known.untilMs,
    });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }

  #find(list: string): Known | null {
    const known = this.#known.get(list);
    return known === undefined || known.untilMs < performance.now() ? null : known;
  }
}
