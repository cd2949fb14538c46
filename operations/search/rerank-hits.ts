import type { Caller } from '#domain/access/caller.ts';
import { storedText } from '#domain/chunking/chunker.ts';
import { rerankDepthOf, type Reranking, type RerankOption } from '#domain/records/rerank-option.ts';
import { rerankedScores } from '#domain/search/reranked-scores.ts';
import { rerankPassages } from '#operations/rerank-passages.ts';
import type { Services } from '#operations/services.ts';
import { readTexts } from './complete-hits.ts';
import type { VerifiedHit } from './verified-hit.ts';

/** A hit in its place after reranking. `rerank`: the reranker's rank and raw score; null for hits that it was not given. */
export type RankedHit = VerifiedHit & { rerank: { rank: number; score: number } | null };

/** `onReplaced`: called when hits were replaced since they were verified. */
type Ranked = {
  query: string;
  option: RerankOption | undefined;
  hits: readonly VerifiedHit[];
  onReplaced: () => void;
};

/** `reranking` is null when the request does not ask for it. */
export type RankedHits = { hits: RankedHit[]; reranking: Reranking | null };

/** Returns how many hits are to be reranked; null when the request does not ask for it, or nothing could. */
export function rerankDepth(services: Services, option: RerankOption | undefined): number | null {
  return services.reranker === null ? null : rerankDepthOf(option);
}

/**
 * Puts the best hits in the order of the reranker; the others follow as they were. If it fails, the order stays, and `reranking`
 * says why. Hits are scored by the text that was indexed.
 */
export async function rerankHits(
  services: Services,
  caller: Caller,
  { query, option, hits, onReplaced }: Ranked,
): Promise<RankedHits> {
  const depth = rerankDepthOf(option);
  const unchanged = hits.map((hit) => ({ ...hit, rerank: null }));
  if (depth === null) return { hits: unchanged, reranking: null };
  const first = { hits: hits.slice(0, depth), onReplaced };
  const best = services.reranker === null ? [] : await readTexts(services, caller, first);
  const passages = best.map(({ row }) => storedText(row));
  const outcome = await rerankPassages(services, { query, passages, share: caller.scope.workspaceId });
  if (!('scores' in outcome)) return { hits: unchanged, reranking: { reranked: false, not_reranked: outcome } };
  const given = new Set(best.map(({ row }) => row.id));
  const kept = hits.filter(({ row }, index) => index >= depth || given.has(row.id));
  const areLogits = services.reranker?.returnsLogits() ?? false;
  return { hits: reorder(kept, outcome.scores, areLogits), reranking: { reranked: true } };
}

function reorder(hits: readonly VerifiedHit[], scores: readonly number[], areLogits: boolean): RankedHit[] {
  const best = hits.slice(0, scores.length).map((hit, index) => ({ ...hit, modelScore: scores[index] ?? 0 }));
  // Stable: hits with equal scores stay in the order of the search.
  best.sort((a, b) => b.modelScore - a.modelScore);
  const others = hits.slice(scores.length);
  const shown = rerankedScores(
    best.map(({ modelScore }) => modelScore),
    { areLogits, others: others.length },
  );
  return [
    ...best.map(({ modelScore, ...hit }, index) => ({ ...hit, rerank: { rank: index + 1, score: modelScore } })),
    ...others.map((hit) => ({ ...hit, rerank: null })),
  ].map((ranked, index) => ({ ...ranked, hit: { ...ranked.hit, score: shown[index] ?? 0 } }));
}
