import { loadTokenizer } from '#providers/chunkers/token-counter.ts';
import {
  openOnnxSession,
  runModel,
  runsOf,
  unknownInputs,
  type ModelOutput,
} from '#providers/local-models/onnx-session.ts';
import type { ModelWeights } from '#providers/local-models/optimized-weights.ts';
import { unusableModel } from '#providers/local-models/unusable-model.ts';
import type { ModelFolder } from './model-folder.ts';
import type { Pooling } from './model-presets.ts';
import { createTextEncoder } from './text-encoder.ts';
import { addWeighted, toUnitVector } from './unit-vector.ts';

/** A loaded sentence model. Inference blocks the thread. */
export type SentenceModel = {
  dimensions: number;
  /** Most tokens that chunks for this model have. */
  maxTokens: number;
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  close(): Promise<void>;
};

/** Outputs that are already pooled, then outputs with one vector per token. */
const OUTPUTS = ['sentence_embedding', 'sentence_embeddings', 'last_hidden_state', 'token_embeddings'];

/** What a thread needs to load a model. */
export type SentenceModelSource = Pick<ModelFolder, 'folder' | 'maxSequence' | 'pooling' | 'padTokenId'> & {
  weights: ModelWeights;
};

/** Loads weights and tokenizer. @throws Error that says what to do. */
export async function loadSentenceModel(model: SentenceModelSource): Promise<SentenceModel> {
  const session = await openOnnxSession(model.weights, model.maxSequence).catch((cause: unknown) => {
    throw unusableModel(model.folder, 'its weights cannot be loaded', cause);
  });
  const unknown = unknownInputs(session);
  if (unknown.length > 0) throw unusableModel(model.folder, `it requires the unsupported inputs ${unknown.join(', ')}`);
  const tokenizer = await loadTokenizer(model.folder).catch((cause: unknown) => {
    throw unusableModel(model.folder, 'its tokenizer cannot be loaded', cause);
  });
  const encoder = createTextEncoder(tokenizer, model.maxSequence);
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const sums: Float32Array[] = [];
    const sequences = texts.flatMap((text, index) => encoder.encode(text).map((ids) => ({ index, ids })));
    for (const run of runsOf(sequences)) {
      const output = await runModel(session, { run, padTokenId: model.padTokenId, outputs: OUTPUTS });
      for (const [row, { index, ids }] of run.entries()) {
        const vector = toUnitVector(pool(output, { row, length: ids.length, pooling: model.pooling }));
        addWeighted((sums[index] ??= new Float32Array(vector.length)), vector, ids.length);
      }
    }
    return sums.map(toUnitVector);
  };
  const dimensions = (await embed(['dimensions']))[0]?.length ?? 0;
  return { dimensions, maxTokens: encoder.maxTokens, embed, close: () => session.release() };
}

/** Returns the vector of one row: the model's own if it pools, else the mean, first or last token. */
function pool({ data, dims }: ModelOutput, of: { row: number; length: number; pooling: Pooling }): Float32Array {
  const dimensions = dims.at(-1) ?? 0;
  if (dims.length === 2) return data.slice(of.row * dimensions, (of.row + 1) * dimensions);
  const offset = of.row * (dims[1] ?? 0) * dimensions;
  if (of.pooling === 'cls') return data.slice(offset, offset + dimensions);
  const last = offset + (of.length - 1) * dimensions;
  if (of.pooling === 'last_token') return data.slice(last, last + dimensions);
  // The sum has the direction of the mean, and is scaled to length 1 later.
  const sum = new Float32Array(dimensions);
  for (let at = offset; at <= last; at += dimensions) {
    for (let index = 0; index < dimensions; index++) sum[index] = (sum[index] ?? 0) + (data[at + index] ?? 0);
  }
  return sum;
}
