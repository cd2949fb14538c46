import type { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { loadTokenizer } from '#providers/chunkers/token-counter.ts';
import { unusable, type ModelFolder, type Pooling } from './model-folder.ts';
import { toUnitVector } from './unit-vector.ts';

/** A loaded sentence model. Blocks its thread while it computes. */
export type SentenceModel = {
  dimensions: number;
  /** Tokens of a text that are read; the rest is cut. */
  maxTokens: number;
  embed(texts: readonly string[]): Promise<Float32Array[]>;
  close(): Promise<void>;
};

/**
 * Padded tokens of one run. Measured with int8 MiniLM on two cores: tokens a second fall by half from runs of 256 to
 * runs of 1,024, and short texts gain a quarter by sharing a run.
 */
const TOKENS_PER_RUN = 256;
const TEXTS_PER_RUN = 8;

const KNOWN_INPUTS: ReadonlySet<string> = new Set(['input_ids', 'attention_mask', 'token_type_ids', 'position_ids']);
/** Outputs that are pooled already, and those with one vector a token. */
const POOLED_OUTPUTS = ['sentence_embedding', 'sentence_embeddings'];
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings'];

/**
 * A text longer than one sequence is read in so many, of like length, and has the mean of their vectors, weighted by
 * length. Measured on passages of 470 tokens: the right one is among the first five 14 points of a hundred more often
 * than when the model is given their beginning only.
 */
const SEQUENCES_PER_TEXT = 4;

type Sequence = { index: number; ids: readonly number[] };

/** Loads weights and tokenizer. `threads` are those of one run. @throws Error that says what to do. */
export async function loadSentenceModel(model: ModelFolder, threads: number): Promise<SentenceModel> {
  const session = await InferenceSession.create(model.weightsPath, {
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // The arena keeps the largest run's memory for ever.
    enableCpuMemArena: false,
    // Threads that wait for one another would otherwise burn a core each, which the database and the index could use: measured
    // on two busy cores, a run took half the processor time and a third of the time without.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
    logSeverityLevel: 3,
  }).catch((cause: unknown) => {
    throw unusable(model.folder, 'its weights cannot be loaded', cause);
  });
  const unknown = session.inputNames.filter((name) => !KNOWN_INPUTS.has(name));
  if (unknown.length > 0) throw unusable(model.folder, `it wants the inputs ${unknown.join(', ')}`);
  const tokenizer = await loadTokenizer(model.folder).catch((cause: unknown) => {
    throw unusable(model.folder, 'its tokenizer cannot be loaded', cause);
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

type Encoder = { maxTokens: number; encode(text: string): number[][] };

/** Splits the tokens of a text evenly over as few sequences as hold them, each with the model's special tokens. */
function createEncoder(tokenizer: Tokenizer, maxSequence: number): Encoder {
  const plainIds = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
  // How the model frames a text is seen by framing one.
  const [framed, body] = [tokenizer.encode('a').ids, plainIds('a')];
  const bodyStart = Math.max(0, framed.indexOf(body[0] ?? -1));
  const before = framed.slice(0, bodyStart);
  const after = framed.slice(bodyStart + body.length);
  const room = Math.max(1, maxSequence - before.length - after.length);
  const maxTokens = room * SEQUENCES_PER_TEXT;
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

/** Groups sequences of like length, so that little is padded. */
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
    throw new TypeError(`the model's output ${wanted} is no float tensor`);
  return output;
}

/** The vector of one row: as it is where the model pools itself, else the mean of its tokens, the first, or the last. */
function pool(output: Tensor, of: { row: number; length: number; pooling: Pooling }): Float32Array {
  const data = output.data;
  const dimensions = output.dims.at(-1) ?? 0;
  if (!(data instanceof Float32Array)) throw new TypeError('the model gave no float tensor');
  if (output.dims.length === 2) return data.slice(of.row * dimensions, (of.row + 1) * dimensions);
  const offset = of.row * (output.dims[1] ?? 0) * dimensions;
  if (of.pooling === 'cls') return data.slice(offset, offset + dimensions);
  const last = offset + (of.length - 1) * dimensions;
  if (of.pooling === 'last_token') return data.slice(last, last + dimensions);
  // The sum points where the mean does, and is scaled to length 1 anyway.
  const sum = new Float32Array(dimensions);
  for (let at = offset; at <= last; at += dimensions) {
    for (let index = 0; index < dimensions; index++) sum[index] = (sum[index] ?? 0) + (data[at + index] ?? 0);
  }
  return sum;
}
