import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, embedMany } from 'ai';
import { AppError } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { toUnitVector } from './unit-vector.ts';

export type OpenAIOptions = {
  /** Base URL of the API, including `/v1`. */
  baseUrl: string;
  apiKey: string | null;
  model: string;
  dimensions: number;
};

/** Most texts and characters of one call; servers reject calls that exceed their batch size. */
const TEXTS_PER_CALL = 64;
const CHARACTERS_PER_CALL = 200_000;
const CONCURRENT_CALLS = 2;
const CALL_TIMEOUT_MS = 120_000;
const DEFAULT_RETRY_AFTER_S = 5;

/** The API does not report a model's input limit. Most read 512 tokens or more, and chunks are smaller than that. */
const MAX_TOKENS = 512;
/** UTF-8 bytes per token, a conservative estimate for subword vocabularies. */
const CHARACTERS_PER_TOKEN = 3.5;

/** Statuses that reject the texts themselves. */
const REJECTED: ReadonlySet<number> = new Set([400, 413, 422]);
const MISCONFIGURED: ReadonlySet<number> = new Set([401, 403, 404]);

/**
 * Creates an embedder for any server with the OpenAI API (OpenAI, Ollama, vLLM, TEI). The operator configures its address, so it
 * may be in a private network. Calls are not retried here.
 * Errors of `embed`: `embedding_rejected` when the server rejects the texts; `dependency_unavailable` with `retryAfterS` when the
 * server is unavailable, overloaded or misconfigured.
 */
export function createOpenAIEmbedder(options: OpenAIOptions): Embedder {
  const name = 'loci';
  const provider = createOpenAICompatible({
    name,
    baseURL: options.baseUrl,
    ...(options.apiKey === null ? {} : { apiKey: options.apiKey }),
  });
  const model = provider.embeddingModel(options.model);
  // Some servers shorten vectors on request, others reject the parameter: it is sent only when vectors turn out too long.
  let sendsDimensions = false;

  const call = async (texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> => {
    const deadline = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const { embeddings } = await embedMany({
      model,
      // Most servers reject an empty input, which has no meaning to embed anyway.
      values: texts.map((text) => (text.trim() === '' ? '-' : text)),
      maxRetries: 0,
      abortSignal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      ...(sendsDimensions ? { providerOptions: { [name]: { dimensions: options.dimensions } } } : {}),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason;
      throw asAppError(error, options);
    });
    return embeddings.map((embedding) => Float32Array.from(embedding));
  };
  const embedBatch = async (texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array[]> => {
    let vectors = await call(texts, signal);
    const longest = Math.max(...vectors.map((vector) => vector.length));
    if (!sendsDimensions && longest > options.dimensions) {
      sendsDimensions = true;
      vectors = await call(texts, signal).catch((error: unknown) => {
        sendsDimensions = false;
        throw error instanceof AppError && error.code === 'embedding_rejected'
          ? wrongDimensions(longest, options)
          : error;
      });
    }
    return checked(vectors, texts.length, options);
  };

  return {
    space: { provider: 'openai', model: options.model, model_hash: 'unversioned', dimensions: options.dimensions },
    maxTokens: MAX_TOKENS,
    tokenCounting: { kind: 'estimate', charactersPerToken: CHARACTERS_PER_TOKEN },
    async embed(texts, _purpose, { signal } = {}) {
      signal?.throwIfAborted();
      const batches = batchesOf(texts);
      const results: Float32Array[][] = batches.map(() => []);
      let next = 0;
      const work = async (): Promise<void> => {
        for (let at = next++; at < batches.length; at = next++)
          results[at] = await embedBatch(batches[at] ?? [], signal);
      };
      await Promise.all(Array.from({ length: CONCURRENT_CALLS }, work));
      return results.flat();
    },
    async close() {},
  };
}

function batchesOf(texts: readonly string[]): string[][] {
  const batches: string[][] = [];
  let current: string[] = [];
  let characters = 0;
  for (const text of texts) {
    if (current.length > 0 && (current.length === TEXTS_PER_CALL || characters + text.length > CHARACTERS_PER_CALL)) {
      batches.push(current);
      [current, characters] = [[], 0];
    }
    current.push(text);
    characters += text.length;
  }
  if (current.length > 0) batches.push(current);
  return batches;
}

function checked(vectors: Float32Array[], count: number, options: OpenAIOptions): Float32Array[] {
  if (vectors.length !== count) {
    throw unavailable(`The embedding server returned ${vectors.length} vectors for ${count} texts.`);
  }
  for (const vector of vectors) {
    if (vector.length !== options.dimensions) throw wrongDimensions(vector.length, options);
    if (!vector.every(Number.isFinite))
      throw unavailable('The embedding server returned a vector with values that are not finite numbers.');
  }
  return vectors.map(toUnitVector);
}

function wrongDimensions(found: number, options: OpenAIOptions): AppError {
  return unavailable(
    `The embedding server returns ${found} dimensions for ${options.model}, but LOCI_OPENAI_DIMENSIONS is ` +
      `${options.dimensions}: set it to ${found}, or choose another LOCI_EMBEDDER_MODEL.`,
  );
}

/** Maps an error to an AppError. The message contains nothing of the server's response, which may echo the texts. */
function asAppError(error: unknown, options: OpenAIOptions): unknown {
  if (!APICallError.isInstance(error)) {
    return unavailable(`The embedding server at ${hostOf(options)} cannot be reached or returned no valid response.`, {
      cause: error,
    });
  }
  const status = error.statusCode;
  if (status === undefined) {
    return unavailable(`The embedding server at ${hostOf(options)} cannot be reached or returned no valid response.`, {
      cause: error,
    });
  }
  if (REJECTED.has(status)) {
    return new AppError('embedding_rejected', `The embedding server rejected the text (HTTP ${status}).`, {
      cause: error,
    });
  }
  if (MISCONFIGURED.has(status)) {
    const settings = status === 404 ? 'LOCI_OPENAI_BASE_URL and LOCI_EMBEDDER_MODEL' : 'LOCI_OPENAI_API_KEY';
    return unavailable(`The embedding server answered HTTP ${status}: check ${settings}.`, { cause: error });
  }
  const after = Number(error.responseHeaders?.['retry-after']);
  const retryAfterS = Number.isFinite(after) && after > 0 ? Math.ceil(after) : DEFAULT_RETRY_AFTER_S;
  return unavailable(`The embedding server answered HTTP ${status}.`, { cause: error, retryAfterS });
}

function unavailable(message: string, options: { cause?: unknown; retryAfterS?: number } = {}): AppError {
  return new AppError('dependency_unavailable', message, { retryAfterS: DEFAULT_RETRY_AFTER_S, ...options });
}

function hostOf(options: OpenAIOptions): string {
  return new URL(options.baseUrl).host;
}
