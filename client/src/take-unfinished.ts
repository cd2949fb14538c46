import { dataOf } from './data-of.ts';
import type { LociApi } from './loci-api.ts';
import type { components } from './schema.ts';

type Content = components['schemas']['Content'];

export type UnfinishedSearch = {
  /** Ids of what is waited for. */
  open: ReadonlySet<string>;
  collections: ReadonlySet<string>;
  /** Called for each that is unfinished; takes it from `open`. */
  take: (content: Content) => void;
  signal: AbortSignal | undefined;
};

/** In the order of the work, so that a content that goes on meanwhile is in one of the later lists. */
const UNFINISHED = ['pending', 'downloading', 'reading', 'splitting', 'indexing', 'paused'] as const;
/** A page costs about as much as so many requests for single contents, and one more for so many rows. */
const PAGE_COST = 4;
const ROWS_PER_COST = 40;

/**
 * Takes contents that are unfinished by the lists of their collections, as long as that costs less than a request for each.
 * Returns whether all lists were read: what is still open then has been settled, or deleted. Others may have many more contents there.
 */
export async function takeUnfinished(api: LociApi, search: UnfinishedSearch): Promise<boolean> {
  const { open, collections, take, signal } = search;
  const budget = open.size;
  if (UNFINISHED.length * PAGE_COST * collections.size > budget) return false;
  let cost = 0;
  for (const collection_id of collections) {
    for (const status of UNFINISHED) {
      let cursor: string | null | undefined;
      while (cursor !== null) {
        if (open.size === 0) return true;
        if (cost >= budget) return false;
        const query = { collection_id, status, limit: 1000, ...(cursor === undefined ? {} : { cursor }) };
        const page = await dataOf(api.GET('/api/v1/contents', { params: { query }, ...(signal ? { signal } : {}) }));
        for (const content of page.data) if (open.has(content.id)) take(content);
        cost += PAGE_COST + page.data.length / ROWS_PER_COST;
        cursor = page.next_cursor;
      }
    }
  }
  return true;
}
