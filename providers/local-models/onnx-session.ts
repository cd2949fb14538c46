import { InferenceSession, Tensor } from 'onnxruntime-node';
import { OPTIMIZATION, type ModelWeights } from './optimized-weights.ts';

/** Tokens of one text, or of two that are read together: then `types` tells which token belongs to which. */
export type Sequence = { index: number; ids: readonly number[]; types?: readonly number[] };

export type ModelOutput = { dims: readonly number[]; data: Float32Array };

/**
 * Tokens of one run, including padding. Measured with int8 MiniLM on two cores: tokens per second drop by half from runs of 256
 * to runs of 1,024; short texts gain a quarter by sharing a run.
 */
const TOKENS_PER_RUN = 256;
const TEXTS_PER_RUN = 8;

const KNOWN_INPUTS: ReadonlySet<string> = new Set(['input_ids', 'attention_mask', 'token_type_ids', 'position_ids']);

const MAX_SEQUENCE_IN_ARENA = 512;

/** Opens an ONNX session that runs on the calling thread alone: two such sessions do more than one that uses two threads. */
export function openOnnxSession(weights: ModelWeights, maxSequence: number): Promise<InferenceSession> {
  return InferenceSession.create(weights.path, {
    ...(weights.isOptimized ? { graphOptimizationLevel: 'disabled' } : OPTIMIZATION),
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    // The arena keeps the memory of the largest run, which grows with the square of a sequence's length.
    enableCpuMemArena: maxSequence <= MAX_SEQUENCE_IN_ARENA,
    logSeverityLevel: 3,
  });
}

/** Returns the inputs of a model that tokens cannot give. */
export function unknownInputs(session: InferenceSession): string[] {
  return session.inputNames.filter((name) => !KNOWN_INPUTS.has(name));
}

/** Groups sequences of similar length into runs, so that there is little padding. */
export function runsOf(sequences: readonly Sequence[]): Sequence[][] {
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

/** Runs a model. Returns the first of the outputs of these names that it has, else its first output. */
export async function runModel(
  session: InferenceSession,
  { run, padTokenId, outputs }: { run: readonly Sequence[]; padTokenId: number; outputs: readonly string[] },
): Promise<ModelOutput> {
  const names = session.outputNames;
  const wanted = outputs.find((name) => names.includes(name)) ?? names[0] ?? '';
  const output = (await session.run(feedsOf(session, { run, padTokenId }), [wanted]))[wanted];
  if (!output || !(output.data instanceof Float32Array))
    throw new TypeError(`the model's output ${wanted} is not a float tensor`);
  return { dims: output.dims, data: output.data };
}

function feedsOf(
  session: InferenceSession,
  { run, padTokenId }: { run: readonly Sequence[]; padTokenId: number },
): Record<string, Tensor> {
  const width = Math.max(...run.map((sequence) => sequence.ids.length));
  const size = run.length * width;
  const ids = new BigInt64Array(size).fill(BigInt(padTokenId));
  const mask = new BigInt64Array(size);
  const types = new BigInt64Array(size);
  for (const [row, sequence] of run.entries()) {
    for (const [column, id] of sequence.ids.entries()) {
      ids[row * width + column] = BigInt(id);
      mask[row * width + column] = 1n;
      types[row * width + column] = BigInt(sequence.types?.[column] ?? 0);
    }
  }
  const all: Record<string, BigInt64Array> = {
    input_ids: ids,
    attention_mask: mask,
    token_type_ids: types,
    position_ids: BigInt64Array.from({ length: size }, (_, at) => BigInt(at % width)),
  };
  const feeds: Record<string, Tensor> = {};
  for (const name of session.inputNames) feeds[name] = new Tensor('int64', all[name] ?? ids, [run.length, width]);
  return feeds;
}
