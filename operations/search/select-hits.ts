import type { Caller } from '#domain/access/caller.ts';
import type { SearchRequest } from '#domain/records/search.ts';
import { createMatcher } from '#domain/search/find-matches.ts';
import { boostedScore } from '#domain/search/recency.ts';
import type { Services } from '#operations/services.ts';
import { completeHits, readTexts } from './complete-hits.ts';
import { measureRelevance } from './measure-relevance.ts';
import type { Ranking } from './ranking.ts';
import type { RankedHit } from './rerank-hits.ts';
import type { ChunkRow } from './verified-hit.ts';

const RATED_AT_ONCE = 25;

/** `relevance` is null unless the request sets `min_score`. */
type RelevantHit = RankedHit & { relevance: number | null };

/** `onReplaced`: called when hits were replaced since they were verified. `ranking`: the one that the hits are of. */
type Selection = {
  request: SearchRequest;
  hits: readonly RankedHit[];
  ranking: Pick<Ranking, 'collectionIds' | 'vectorOf'>;
  onReplaced: () => void;
  signal?: AbortSignal | undefined;
};

/** A hit of the answer. */
export type SelectedHit = Omit<RelevantHit, 'row'> & { row: ChunkRow };

/**
 * Applies the options that decide which hits are results, in this order: `min_score`, `recency`, `group_by`, and the page.
 * `nextOffset` is null on the last page.
 * @throws the reason of the signal.
 */
export async function selectHits(
  services: Services,
  caller: Caller,
  selection: Selection,
): Promise<{ hits: SelectedHit[]; nextOffset: number | null }> {
  const { request } = selection;
  const { offset = 0, max_results: limit } = request;
  const relevant = await takeRelevant(services, caller, selection);
  const ordered = boostRecent(relevant, request);
  const grouped = limitPerContent(ordered, request);
  const end = offset + limit;
  // The last page may be short: the ranking ends before it is full.
  const page = await completeHits(services, caller, {
    hits: grouped.slice(offset, end),
    onReplaced: selection.onReplaced,
  });
  return { hits: page, nextOffset: grouped.length > end ? end : null };
}

/** Hits are rated in order, until there are enough for the page: rating reads the whole text of a hit. */
async function takeRelevant(
  services: Services,
  caller: Caller,
  { request, hits, ranking, onReplaced, signal }: Selection,
): Promise<RelevantHit[]> {
  const { min_score: minScore, offset = 0, max_results: limit } = request;
  if (minScore === undefined) return hits.map((hit) => ({ ...hit, relevance: null }));
  // A boost of newer contents can bring any hit to the page.
  const needed = request.recency === undefined ? offset + limit + (request.offset === undefined ? 0 : 1) : Infinity;
  const { query, search_type } = request;
  const read = { matcher: createMatcher(query), byWordsAlone: new Set<string>() };
  const asked = {
    query,
    search_type,
    ...read,
    vectorOf: ranking.vectorOf,
    isOfSeveral: ranking.collectionIds.size > 1,
  };
  const relevant: RelevantHit[] = [];
  for (let start = 0; start < hits.length; start += RATED_AT_ONCE) {
    signal?.throwIfAborted();
    const batch = hits.slice(start, start + RATED_AT_ONCE);
    const texts = await readTexts(services, caller, { hits: batch, onReplaced });
    const rated = await measureRelevance(services, caller, { request: asked, hits: texts });
    const byId = new Map(rated.map(({ row, relevance }) => [row.id, relevance]));
    // Without the texts, of which only those of the page are needed again.
    for (const hit of batch) {
      const relevance = byId.get(hit.row.id);
      if (relevance !== undefined && relevance >= minScore) relevant.push({ ...hit, relevance });
    }
    if (limitPerContent(relevant, request).length >= needed) break;
  }
  return relevant;
}

function boostRecent(hits: readonly RelevantHit[], { recency }: SearchRequest): readonly RelevantHit[] {
  if (recency === undefined) return hits;
  const boosted = hits.map((one) => ({ ...one, hit: { ...one.hit, score: boostedScore(one.hit.score, one.boost) } }));
  return boosted.toSorted((a, b) => b.hit.score - a.hit.score);
}

function limitPerContent(hits: readonly RelevantHit[], { group_by, max_per_content: most = 1 }: SearchRequest) {
  if (group_by === undefined) return hits;
  const counts = new Map<string, number>();
  return hits.filter(({ row }) => {
    const count = (counts.get(row.content_id) ?? 0) + 1;
    counts.set(row.content_id, count);
    return count <= most;
  });
}
