import { fuseRankScores } from './fuse-ranks.ts';

/** A hit of one of the two searches of a collection. */
export type LegHit = { id: string; score: number };

/** What the searches of one collection found, best first. `space` names its embedding space; a leg that did not run is null. */
export type CollectionLegs = { space: string; keyword: readonly LegHit[] | null; vector: readonly LegHit[] | null };

type MergedLeg = { rank: number; score: number };
/** Best first. `score` is 1 for a hit that is first in every leg. */
export type MergedHit = { id: string; score: number; legs: { keyword: MergedLeg | null; vector: MergedLeg | null } };

/**
 * Merges the hits of several collections into one ranking. Similarities are comparable within an embedding space, and BM25 scores
 * nearly so between collections, so each leg is first ranked by score: all keyword hits together, and the vector hits of each
 * space. Ranks, which are comparable between spaces, are then fused. (One list for each collection instead would put the
 * best hit of a collection about something else beside the best of all.)
 */
export function mergeCollections(collections: readonly CollectionLegs[]): MergedHit[] {
  const keyword = ranked(collections.flatMap((collection) => collection.keyword ?? []));
  const spaces = [...Map.groupBy(collections, (collection) => collection.space).values()];
  const vectors = spaces.map((ofSpace) => ranked(ofSpace.flatMap((collection) => collection.vector ?? [])));
  const legCount = [keyword, vectors.flat()].filter((leg) => leg.length > 0).length;
  const fused = fuseRankScores(
    [keyword, ...vectors].map((leg) => leg.map(({ id }) => id)),
    Math.max(legCount, 1),
  );
  const [keywordPlaces, vectorPlaces] = [placesOf([keyword]), placesOf(vectors)];
  return fused.map(({ id, score }) => ({
    id,
    score,
    legs: { keyword: keywordPlaces.get(id) ?? null, vector: vectorPlaces.get(id) ?? null },
  }));
}

function ranked(hits: readonly LegHit[]): LegHit[] {
  return hits.toSorted((a, b) => b.score - a.score);
}

function placesOf(legs: readonly (readonly LegHit[])[]): Map<string, MergedLeg> {
  return new Map(legs.flatMap((leg) => leg.map(({ id, score }, index) => [id, { rank: index + 1, score }])));
}
