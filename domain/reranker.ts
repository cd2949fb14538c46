/** Why hits were not reranked. `rejected`: the server refused the texts; `invalid_response`: not one number for each of them. */
export const RERANK_FAILURES = [
  'not_configured',
  'no_results',
  'busy',
  'timeout',
  'unavailable',
  'rejected',
  'invalid_response',
] as const;
export type RerankFailure = (typeof RERANK_FAILURES)[number];

/** `share`: the workspace, so that workspaces take turns. */
export type RerankRequest = { query: string; passages: readonly string[]; share: string };

/** One score for each passage, in their order, higher is better; or why there are none, with a message that says what to do. */
export type RerankOutcome = { scores: number[] } | { reason: RerankFailure; message: string };

/** Scores passages by how well they answer a query. Reads both together, which is slower and more exact than comparing vectors. */
export interface Reranker {
  /** What `/readyz` shows. */
  readonly name: string;
  /** Returns within the time limit that the operator set, whatever the model does. Never rejects. */
  rerank(request: RerankRequest): Promise<RerankOutcome>;
  /**
   * Whether its scores are logits, any numbers, and not from 0 to 1. Of a server it is known as soon as it has returned a score outside of
   * that, and stays so, because the scores of a model are not to be shown in two ways.
   */
  returnsLogits(): boolean;
  close(): Promise<void>;
}
