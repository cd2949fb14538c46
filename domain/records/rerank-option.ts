import { z } from 'zod';
import { RERANK_FAILURES } from '#domain/reranker.ts';

/** Hits that are reranked unless the request says how many, and at most. */
export const DEFAULT_RERANK_DEPTH = 30;
const MAX_DEPTH = 100;

/** Field of requests that search. */
export const RerankOption = z
  .union([
    z.boolean(),
    z.strictObject({
      depth: z.int().min(1).max(MAX_DEPTH).default(DEFAULT_RERANK_DEPTH).meta({
        description: 'Hits that are reranked, 1 to 100. Further ones follow in the order of the search.',
      }),
    }),
  ])
  .meta({
    description:
      'Whether the best 30 hits, or `depth`, are put in the order of a reranking model, which reads the query and each of them ' +
      'together. If no model is configured, or it fails, the results keep the order of the search, and `reranked` is false.',
  });
export type RerankOption = z.infer<typeof RerankOption>;

/** Returns how many hits are to be reranked; null when the request does not ask for it. */
export function rerankDepthOf(option: RerankOption | undefined): number | null {
  if (typeof option === 'object') return option.depth;
  return option === true ? DEFAULT_RERANK_DEPTH : null;
}

const NotReranked = z
  .object({
    reason: z.enum(RERANK_FAILURES).meta({
      description:
        '`not_configured`: this server has no reranking model. `no_results`: nothing was found. `busy`: too many other searches ' +
        'were waiting. `timeout`: the model took too long. `unavailable`: it cannot be reached, or is misconfigured. `rejected`: it refused the texts. ' +
        '`invalid_response`: it returned something other than one number for each hit.',
    }),
    message: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
  })
  .meta({ id: 'NotReranked' });

/** Fields of responses to requests with `rerank`. */
export const RERANKING = {
  reranked: z.boolean().optional().meta({
    description:
      'Whether the hits are in the order of the reranking model. Present only when the request sets `rerank`.',
  }),
  not_reranked: NotReranked.optional().meta({
    description: 'Why the hits are in the order of the search. Present only when `reranked` is false.',
  }),
};

export type Reranking = { reranked: true } | { reranked: false; not_reranked: z.infer<typeof NotReranked> };
