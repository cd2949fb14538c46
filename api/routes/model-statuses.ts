/** Meanings of statuses of routes that ask a model. */
export const MODEL_STATUSES = {
  chatRefused:
    'The chat model server refused the request, its content filter blocked the answer, or reasoning took the place of the answer',
  embeddingRejected:
    'The request is invalid; every problem is listed. Or the embedding server rejected the query (`embedding_rejected`)',
};
