import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany } from 'ai';
import { AppError } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { EmbeddingQueue, type EmbeddingLane, type EmbeddingUnit } from './embedding-queue.ts';
import { embeddingUnavailable, toEmbeddingError } from './embedding-error.ts';
import { ServerCircuit } from './server-circuit.ts';
import { toUnitVector } from './unit-vector.ts';

export type OpenAIOptions = {
  /** Base URL of the API, including `/v1`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  dimensions: number;
};

/** The name under which the library passes options to the server. */
const PROVIDER = 'loci';

/** Most texts and characters of one call; servers reject calls that exceed their batch size. */
const TEXTS_PER_CALL = 64;
const CHARACTERS_PER_CALL = 200_000;
/** Concurrent calls of this process. The last slot is for queries and express documents alone. */
const SLOTS: readonly EmbeddingLane[] = ['bulk', 'bulk', 'bulk', 'express'];
const CALL_TIMEOUT_MS = 120_000;
/** Somebody waits for a query. */
const QUERY_TIMEOUT_MS = 20_000;

/** The API does not report a model's input limit. Most read 512 tokens or more, and chunks are smaller than that. */
const MAX_TOKENS = 512;
/** UTF-8 bytes per token, a conservative estimate for subword vocabularies. */
const CHARACTERS_PER_TOKEN = 3.5;

/**
 * Creates an embedder for any server with the OpenAI API (OpenAI, Ollama, vLLM, TEI). The operator configures its address, so it
 * may be in a private network. Calls are not retried here; while the server asks to wait or is away, all calls fail at once.
 * Errors of `embed`: `embedding_rejected` when the server rejects the texts; `dependency_unavailable` with `retryAfterS` when the
 * server is unavailable, overloaded or misconfigured, and with `retryDelayS` when it asked to wait or is not called for a while.
 */
export function createOpenAIEmbedder(options: OpenAIOptions): Embedder {
  const embedUnit = unitEmbedder(options);
  const circuit = new ServerCircuit();
  const queue = new EmbeddingQueue();
  for (const upTo of SLOTS) {
    queue.addSlot({
      upTo,
      unitTexts: TEXTS_PER_CALL,
      unitCharacters: CHARACTERS_PER_CALL,
      run: (unit) => circuit.run(() => embedUnit(unit), unit.signal),
    });
  }
  return {
    space: { provider: 'openai', model: options.model, model_hash: 'unversioned', dimensions: options.dimensions },
    maxTokens: MAX_TOKENS,
    tokenCounting: { kind: 'estimate', charactersPerToken: CHARACTERS_PER_TOKEN },
    embed(texts, purpose, { lane = 'bulk', share = '', signal } = {}) {
      return queue.embed({ texts, lane: purpose === 'query' ? 'query' : lane, share, signal });
    },
    async close() {
      queue.close(new Error('The embedder is closed.'));
    },
  };
}

function openModel({ baseUrl, apiKey, model }: OpenAIOptions) {
  const provider = createOpenAICompatible({ name: PROVIDER, baseURL: baseUrl, ...(apiKey === null ? {} : { apiKey }) });
  return provider.embeddingModel(model);
}

/** Returns a function that embeds a unit with one call, and a second one when the vectors must be shortened. */
function unitEmbedder(options: OpenAIOptions): (unit: EmbeddingUnit) => Promise<Float32Array[]> {
  const model = openModel(options);
  // Some servers shorten vectors on request, others reject the parameter: it is sent only when vectors turn out too long.
  let sendsDimensions = false;

  const call = async ({ texts, lane, signal }: EmbeddingUnit): Promise<Float32Array[]> => {
    const deadline = AbortSignal.timeout(lane === 'query' ? QUERY_TIMEOUT_MS : CALL_TIMEOUT_MS);
    const { embeddings } = await embedMany({
      model,
      // Most servers reject an empty input, which has no meaning to embed anyway.
      values: texts.map((text) => (text.trim() === '' ? '-' : text)),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, deadline]),
      ...(sendsDimensions ? { providerOptions: { [PROVIDER]: { dimensions: options.dimensions } } } : {}),
    }).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason;
      throw toEmbeddingError(error, options.baseUrl);
    });
    return embeddings.map((embedding) => Float32Array.from(embedding));
  };

  return async (unit) => {
    let vectors = await call(unit);
    const longest = Math.max(...vectors.map((vector) => vector.length));
    if (!sendsDimensions && longest > options.dimensions) {
      sendsDimensions = true;
      vectors = await call(unit).catch((error: unknown) => {
        sendsDimensions = false;
        throw error instanceof AppError && error.code === 'embedding_rejected'
          ? wrongDimensions(longest, options)
          : error;
      });
    }
    return checked(vectors, unit.texts.length, options);
  };
}

function checked(vectors: Float32Array[], count: number, options: OpenAIOptions): Float32Array[] {
  if (vectors.length !== count) {
    throw embeddingUnavailable(`The embedding server returned ${vectors.length} vectors for ${count} texts.`);
  }
  for (const vector of vectors) {
    if (vector.length !== options.dimensions) throw wrongDimensions(vector.length, options);
    if (!vector.every(Number.isFinite))
      throw embeddingUnavailable('The embedding server returned a vector with values that are not finite numbers.');
  }
  return vectors.map(toUnitVector);
}

function wrongDimensions(found: number, options: OpenAIOptions): AppError {
  return embeddingUnavailable(
    `The embedding server returns ${found} dimensions for ${options.model}, but LOCI_OPENAI_DIMENSIONS is ` +
      `${options.dimensions}: set it to ${found}, or choose another LOCI_EMBEDDER_MODEL.`,
  );
}
