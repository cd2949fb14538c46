import type { Hit } from '#store/weaviate/vector-index.ts';

/** Upper bound on the hits requested from the index for one answer, however many of them verification drops. */
const MAX_REQUESTED_HITS = 1_000;
const MAX_ROUNDS = 2;

/** How one search reads the index and verifies its hits. */
type VerifiedSearch<Verified> = {
  /** Number of verified hits that the caller needs. */
  limit: number;
  /** Returns the best hits of the index, best first, at most `limit`. */
  searchIndex: (limit: number) => Promise<Hit[]>;
  /** Returns what Postgres confirms of the hits, in their order. */
  verify: (hits: readonly Hit[]) => Promise<Verified[]>;
  /** Throws `dependency_unavailable` when the index has no hits because it lost its data. */
  requireIndexExists: () => Promise<void>;
};

/**
 * Searches the index and verifies its hits in Postgres. The index may be behind, or a content may be replaced between the two
 * steps, so that hits of its old version are dropped and those of the new one were not there yet: when verification drops hits
 * and fewer than `limit` remain, the index is searched once more with a larger limit.
 */
export async function findVerifiedHits<Verified>(search: VerifiedSearch<Verified>): Promise<Verified[]> {
  let requested = search.limit;
  for (let round = 1; ; round += 1) {
    const hits = await search.searchIndex(requested);
    if (hits.length === 0) {
      await search.requireIndexExists();
      return [];
    }
    const verified = await search.verify(hits);
    const isWhole = hits.length < requested && verified.length === hits.length;
    const isComplete = verified.length >= search.limit || isWhole;
    if (isComplete || round === MAX_ROUNDS) return verified.slice(0, search.limit);
    // Twice as many more as were dropped, because verification may drop some of the next ones too.
    requested = Math.min(MAX_REQUESTED_HITS, requested + 2 * (requested - verified.length) + search.limit);
  }
}
