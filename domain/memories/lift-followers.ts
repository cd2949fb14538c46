/** Hits of a hybrid search that are looked at, however few of them are asked for. */
export const FOLLOWED_HITS = 50;
/** Share of the score of the memory before it that a memory gets. */
const SHARE = 0.15;

type FollowedHit = { score: number; id: string; previousId: string | null };

/**
 * Orders hits anew: a memory whose predecessor is a hit as well gets a share of its score. In a conversation, what answers a question
 * comes after it and often has none of its words: "Where do you travel in September?" "To the Azores, with Petra."
 */
export function liftFollowers<Hit extends FollowedHit>(hits: readonly Hit[]): Hit[] {
  const scores = new Map(hits.map(({ id, score }) => [id, score]));
  const lifted = hits.map((hit) => {
    const before = hit.previousId === null ? 0 : (scores.get(hit.previousId) ?? 0);
    return { hit, score: hit.score + SHARE * before };
  });
  return lifted.toSorted((a, b) => b.score - a.score).map(({ hit }) => hit);
}
