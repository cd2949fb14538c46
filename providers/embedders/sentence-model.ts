import type { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { loadTokenizer } from '#providers/chunkers/token-counter.ts';
import type { ModelFolder, Pooling } from './model-folder.ts';
import { OPTIMIZATION, type ModelWeights } from './optimized-weights.ts';
import { toUnitVector } from './unit-vector.ts';
import { unusableModel } from './unusable-model.ts';

/** A loaded sentence model. Inference blocks the thread. */
export type SentenceModel = {
  dimensions: number;
  /** Most tokens of a text; the rest is cut. */
  maxTokens: number;
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  close(): Promise<void>;
};

/**
 * Tokens of one run, including padding. Measured with int8 MiniLM on two cores: tokens per second drop by half from runs of 256
 * to runs of 1,024; short texts gain a quarter by sharing a run.
 */
const TOKENS_PER_RUN = 256;
const TEXTS_PER_RUN = 8;

const KNOWN_INPUTS: ReadonlySet<string> = new Set(['input_ids', 'attention_mask', 'token_type_ids', 'position_ids']);
/** Outputs that are already pooled, and outputs with one vector per token. */
const POOLED_OUTPUTS = ['sentence_embedding', 'sentence_embeddings'];
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];

/**
 * Most sequences of one text. They have similar lengths; the text's vector is the mean of theirs, weighted by length. Measured on
 * passages of 470 tokens: the right one is among the first five 14 percentage points more often than when the model reads only
 * their beginning.
 */
const MAX_SEQUENCES_PER_TEXT = 4;

const MAX_SEQUENCE_IN_ARENA = 512;

type Sequence = { index: number; ids: readonly number[] };

/** What a thread needs to load a model. */
export type SentenceModelSource = Pick<ModelFolder, 'folder' | 'maxSequence' | 'pooling' | 'padTokenId'> & {
  weights: ModelWeights;
};

/** Loads weights and tokenizer. @throws Error that says what to do. */
export async function loadSentenceModel(model: SentenceModelSource): Promise<SentenceModel> {
  const session = await openSession(model).catch((cause: unknown) => {
    throw unusableModel(model.folder, 'its weights cannot be loaded', cause);
  });
  const unknown = session.inputNames.filter((name) => !KNOWN_INPUTS.has(name));
  if (unknown.length > 0) throw unusableModel(model.folder, `it requires the unsupported inputs ${unknown.join(', ')}`);
  const tokenizer = await loadTokenizer(model.folder).catch((cause: unknown) => {
    throw unusableModel(model.folder, 'its tokenizer cannot be loaded', cause);
  });
  const encoder = createEncoder(tokenizer, model.maxSequence);
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const sums: Float32Array[] = [];
    const sequences = texts.flatMap((text, index) => encoder.encode(text).map((ids) => ({ index, ids })));
    for (const run of runsOf(sequences)) {
      const output = await infer(session, { run, padTokenId: model.padTokenId });
      for (const [row, { index, ids }] of run.entries()) {
        const vector = toUnitVector(pool(output, { row, length: ids.length, pooling: model.pooling }));
        sums[index] = addWeighted(sums[index], vector, ids.length);
      }
    }
    return sums.map(toUnitVector);
  };
  const dimensions = (await embed(['dimensions']))[0]?.length ?? 0;
  return { dimensions, maxTokens: encoder.maxTokens, embed, close: () => session.release() };
}

/** Opens a session that runs on the calling thread alone: two such sessions do more than one that uses two threads. */
function openSession({ weights, maxSequence }: SentenceModelSource): Promise<InferenceSession> {
  return InferenceSession.create(weights.path, {
    ...(weights.isOptimized ? { graphOptimizationLevel: 'disabled' } : OPTIMIZATION),
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // The arena keeps the memory of the largest run, which grows with the square of a sequence's length.
    enableCpuMemArena: maxSequence <= MAX_SEQUENCE_IN_ARENA,
    logSeverityLevel: 3,
  });
}

type Encoder = { maxTokens: number; encode(text: string): number[][] };

/** Splits the tokens of a text evenly over as few sequences as possible, each with the model's special tokens. */
function createEncoder(tokenizer: Tokenizer, maxSequence: number): Encoder {
  const plainIds = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
  // Special tokens before and after a text are found by encoding a short one.
  const [framed, body] = [tokenizer.encode('a').ids, plainIds('a')];
  const bodyStart = Math.max(0, framed.indexOf(body[0] ?? -1));
  const before = framed.slice(0, bodyStart);
  const after = framed.slice(bodyStart + body.length);
  const room = Math.max(1, maxSequence - before.length - after.length);
  const maxTokens = room * MAX_SEQUENCES_PER_TEXT;
  return {
    maxTokens,
    encode(text) {
      const ids = plainIds(text).slice(0, maxTokens);
      const count = Math.max(1, Math.ceil(ids.length / room));
      const size = Math.ceil(ids.length / count);
      return Array.from({ length: count }, (_, at) => [...before, ...ids.slice(at * size, (at + 1) * size), ...after]);
    },
  };
}

function addWeighted(sum: Float32Array | undefined, vector: Float32Array, weight: number): Float32Array {
  const into = sum ?? new Float32Array(vector.length);
  for (let index = 0; index < vector.length; index++) into[index] = (into[index] ?? 0) + weight * (vector[index] ?? 0);
  return into;
}

/** Groups sequences of similar length into runs, so that there is little padding. */
function runsOf(sequences: readonly Sequence[]): Sequence[][] {
  const runs: Sequence[][] = [];
  let current: Sequence[] = [];
  for (const sequence of sequences.toSorted((a, b) => a.ids.length - b.ids.length || a.index - b.index)) {
    const isFull = (current.length + 1) * sequence.ids.length > TOKENS_PER_RUN || current.length === TEXTS_PER_RUN;
    if (current.length > 0 && isFull) {
      runs.push(current);
      current = [];
    }
    current.push(sequence);
  }
  if (current.length > 0) runs.push(current);
  return runs;
}

async function infer(
  session: InferenceSession,
  work: { run: readonly Sequence[]; padTokenId: number },
): Promise<Tensor> {
  const { run, padTokenId } = work;
  const width = Math.max(...run.map((sequence) => sequence.ids.length));
  const ids = new BigInt64Array(run.length * width).fill(BigInt(padTokenId));
  const mask = new BigInt64Array(run.length * width);
  const positions = BigInt64Array.from({ length: run.length * width }, (_, at) => BigInt(at % width));
  for (const [row, sequence] of run.entries()) {
    for (const [column, id] of sequence.ids.entries()) {
      ids[row * width + column] = BigInt(id);
      mask[row * width + column] = 1n;
    }
  }
  const all: Record<string, BigInt64Array> = {
    input_ids: ids,
    attention_mask: mask,
    token_type_ids: new BigInt64Array(run.length * width),
    position_ids: positions,
  };
  const feeds: Record<string, Tensor> = {};
  for (const name of session.inputNames) feeds[name] = new Tensor('int64', all[name] ?? ids, [run.length, width]);
  const outputs = session.outputNames;
  const wanted = [...POOLED_OUTPUTS, ...TOKEN_OUTPUTS].find((name) => outputs.includes(name)) ?? outputs[0] ?? '';
  const output = (await session.run(feeds, [wanted]))[wanted];
  if (!output || !(output.data instanceof Float32Array))
    throw new TypeError(`the model's output ${wanted} is not a float tensor`);
  return output;
}

/** Returns the vector of one row: the model's own if it pools, else the mean, first or last token. */
function pool(output: Tensor, of: { row: number; length: number; pooling: Pooling }): Float32Array {
  const data = output.data;
  const dimensions = output.dims.at(-1) ?? 0;
  if (!(data instanceof Float32Array)) throw new TypeError('the model returned no float tensor');
  if (output.dims.length === 2) return data.slice(of.row * dimensions, (of.row + 1) * dimensions);
  const offset = of.row * (output.dims[1] ?? 0) * dimensions;
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
