import { loadTokenizer } from '#providers/chunkers/token-counter.ts';
import { openOnnxSession, runModel, runsOf, unknownInputs } from '#providers/local-models/onnx-session.ts';
import type { ModelWeights } from '#providers/local-models/optimized-weights.ts';
import { createPairEncoder } from './pair-encoder.ts';
import type { RerankWork } from './rerank-calls.ts';
import { unusableReranker } from './unusable-reranker.ts';

/** A loaded cross-encoder. Inference blocks the thread. */
export type PairModel = {
  /** Returns one score for each passage, as the model has it: any number, higher is better. */
  score(work: RerankWork): Promise<number[]>;
  close(): Promise<void>;
};

/** What a thread needs to load a model. `maxSequence`: tokens of a query and a passage together, special tokens included. */
export type PairModelSource = {
  folder: string;
  maxSequence: number;
  typeCount: number;
  padTokenId: number;
  weights: ModelWeights;
};

const OUTPUTS = ['logits'];

/** Loads weights and tokenizer, and tries the model. @throws Error that says what to do. */
export async function loadPairModel(source: PairModelSource): Promise<PairModel> {
  const { folder, maxSequence, padTokenId, weights } = source;
  const fail = (reason: string) => (cause: unknown) => {
    throw unusableReranker(folder, reason, cause);
  };
  const session = await openOnnxSession(weights, maxSequence).catch(fail('its weights cannot be loaded'));
  const unknown = unknownInputs(session);
  if (unknown.length > 0) throw unusableReranker(folder, `it requires the unsupported inputs ${unknown.join(', ')}`);
  const tokenizer = await loadTokenizer(folder).catch(fail('its tokenizer cannot be loaded'));
  const encoder = createPairEncoder(tokenizer, source);
  const score = async ({ query, passages }: RerankWork): Promise<number[]> => {
    const queryIds = encoder.encodeQuery(query);
    const scores = passages.map(() => NaN);
    for (const run of runsOf(passages.map((passage, index) => ({ index, ...encoder.encode(queryIds, passage) })))) {
      const { data, dims } = await runModel(session, { run, padTokenId, outputs: OUTPUTS });
      if (data.length !== run.length) throw new TypeError(`it returns ${dims.join(' × ')} numbers, not one a pair`);
      for (const [row, { index }] of run.entries()) scores[index] = data[row] ?? NaN;
    }
    return scores;
  };
  await score({ query: 'query', passages: ['a passage', 'another one'] }).catch((cause: unknown) => {
    throw unusableReranker(folder, `it is no cross-encoder: ${cause instanceof Error ? cause.message : 'it fails'}`);
  });
  return { score, close: () => session.release() };
}
