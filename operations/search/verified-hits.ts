import type { ContentVersion, Hit } from '#store/weaviate/vector-index.ts';

/** Upper bound on the hits requested from the index for one answer, however many of them verification drops. */
const MAX_REQUESTED_HITS = 1_000;
const MAX_ROUNDS = 6;

/** How one search reads the index and verifies its hits. */
type VerifiedSearch<Verified> = {
  /** Number of verified hits that the caller needs. */
  limit: number;
  /** Returns the best hits of the index, best first, at most `limit`, without objects of the versions in `exclude`. */
  searchIndex: (limit: number, exclude: readonly ContentVersion[]) => Promise<Hit[]>;
  /** Returns what Postgres confirms of the hits, in their order. */
  verify: (hits: readonly Hit[]) => Promise<Verified[]>;
  /** Returns which versions that are not published these objects belong to. */
  findUnpublished: (ids: readonly string[]) => Promise<ContentVersion[]>;
  /** Throws `dependency_unavailable` when the index has no hits because it lost its data. */
  requireIndexExists: () => Promise<void>;
};

/**
 * Searches the index and verifies its hits in Postgres. Verification drops hits of versions that are being ingested, and of those
 * that are being removed; or a content is replaced between the two steps, so that hits of its old version are dropped and those
 * of the new one were not there yet. When fewer than `limit` remain, the index is searched again with a larger limit, and without
 * the versions that are not published: a large document that is being ingested would fill any limit. That ends when a round
 * finds nothing else to leave out, because the index is only behind the metadata of contents then.
 */
export async function findVerifiedHits<Verified extends { hit: Hit }>(
  search: VerifiedSearch<Verified>,
): Promise<Verified[]> {
  const dropped = new Set<string>();
  let exclude: readonly ContentVersion[] = [];
  let requested = search.limit;
  for (let round = 1; ; round += 1) {
    const hits = await search.searchIndex(requested, exclude);
    if (hits.length === 0 && round === 1) {
      await search.requireIndexExists();
      return [];
    }
    const verified = await search.verify(hits);
    const isExhausted = hits.length < requested;
    const isComplete =
      verified.length >= search.limit || (isExhausted && verified.length === hits.length && round === 1);
    if (isComplete || round === MAX_ROUNDS) return verified.slice(0, search.limit);
    const knownDropped = dropped.size;
    const confirmed = new Set(verified.map(({ hit }) => hit.id));
    for (const { id } of hits) if (!confirmed.has(id)) dropped.add(id);
    // Found anew each time: a version may have been published since.
    const unpublished = await search.findUnpublished([...dropped]);
    const isSettled = dropped.size === knownDropped && unpublished.length === exclude.length;
    // Twice as many more as were dropped, because verification may drop some of the next ones too.
    const next = Math.min(MAX_REQUESTED_HITS, requested + 2 * (requested - verified.length) + search.limit);
    if (isSettled && (isExhausted || next === requested)) return verified;
    [exclude, requested] = [unpublished, next];
  }
}
