import type { RerankOutcome } from '#domain/reranker.ts';
import type { Services } from '#operations/services.ts';

/** `share`: the workspace whose turn it takes. */
type PassagesToRerank = { query: string; passages: string[]; share: string };

/** Scores passages by the reranking model, and measures how that ended. Never throws: the outcome says why there are no scores. */
export async function rerankPassages(
  services: Pick<Services, 'reranker' | 'metrics'>,
  request: PassagesToRerank,
): Promise<RerankOutcome> {
  const startedMs = performance.now();
  const outcome = await score(services, request);
  services.metrics.observeRerank('scores' in outcome ? 'ok' : outcome.reason, performance.now() - startedMs);
  return outcome;
}

async function score({ reranker }: Pick<Services, 'reranker'>, request: PassagesToRerank): Promise<RerankOutcome> {
  if (reranker === null) {
    const message =
      'No reranker is configured on this server: its operator can set LOCI_RERANK_BASE_URL or LOCI_RERANK_FOLDER.';
    return { reason: 'not_configured', message };
  }
  if (request.passages.length === 0) return { reason: 'no_results', message: 'Nothing was found to rerank.' };
  return reranker.rerank(request);
}
