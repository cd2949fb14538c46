import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { embedMany } from 'ai';
import { AppError } from '#domain/app-error.ts';
import type { Embedder } from '#domain/embedder.ts';
import { EmbeddingQueue, type EmbeddingLane, type EmbeddingUnit } from './embedding-queue.ts';
import { embeddingUnavailable, mayComeFromTexts, toEmbeddingError, type ServerSettings } from './embedding-error.ts';
import type { Prefixes } from './model-presets.ts';
import { ShareCircuits } from './share-circuits.ts';
import { withShorterQueries } from './shorter-queries.ts';
import { toUnitVector } from './unit-vector.ts';

/** A server with the embeddings form of the OpenAI API. */
export type EmbeddingServer = {
  /** Base URL of the API, including `/v1`. */
  baseUrl: string;
  apiKey: string | null;
  /** As the server calls it. */
  model: string;
  /** Its settings, for messages that say what to check. */
  settings: ServerSettings;
  /** What a call says besides, for servers of our own. */
  headersOf?: (unit: EmbeddingUnit) => Record<string, string>;
  /** Prepended to texts. */
  prefixes?: Prefixes | null;
  /** It embeds blank texts as they are. */
  acceptsBlank?: boolean;
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

/**
 * Creates an embedder that asks a server. The operator configures its address, so it may be in a private network. Calls are not
 * retried here, but for queries that may be too long; while the server asks to wait or is away, all calls fail at once. What the
 * server fails at may be the texts: then it is no longer called for the workspace that they are of, for queries or for documents.
 * Errors of `embed`: `embedding_rejected` when the server rejects the texts; `dependency_unavailable` with `retryAfterS` when the
 * server is unavailable, overloaded or misconfigured, and with `retryDelayS` when it asked to wait or is not called for a while.
 */
export function createServerEmbedder(
  server: EmbeddingServer,
  described: Pick<Embedder, 'space' | 'maxTokens' | 'tokenCounting'>,
): Embedder {
  const embedUnit = withShorterQueries(unitEmbedder(server, described.space.dimensions), described.maxTokens);
  const circuits = new ShareCircuits(mayComeFromTexts);
  const queue = new EmbeddingQueue();
  for (const upTo of SLOTS) {
    queue.addSlot({
      upTo,
      unitTexts: TEXTS_PER_CALL,
      unitCharacters: CHARACTERS_PER_CALL,
      run: (unit) => {
        const kind = unit.lane === 'query' ? 'query' : 'document';
        return circuits.run(() => embedUnit(unit), { share: unit.share, kind, isUsual: true, signal: unit.signal });
      },
    });
  }
  return {
    ...described,
    embed(texts, purpose, { lane = 'bulk', share = '', signal } = {}) {
      return queue.embed({ texts, lane: purpose === 'query' ? 'query' : lane, share, signal });
    },
    async close() {
      queue.close(new Error('The embedder is closed.'));
    },
  };
}

function openModel({ baseUrl, apiKey, model }: EmbeddingServer) {
  const provider = createOpenAICompatible({ name: PROVIDER, baseURL: baseUrl, ...(apiKey === null ? {} : { apiKey }) });
  return provider.embeddingModel(model);
}

/** Returns a function that embeds a unit with one call, and a second one when the vectors must be shortened. */
function unitEmbedder(server: EmbeddingServer, dimensions: number): (unit: EmbeddingUnit) => Promise<Float32Array[]> {
  const call = caller(server);
  // Some servers shorten vectors on request, others reject the parameter: it is sent only when vectors turn out too long.
  let sendsDimensions = false;
  return async (unit) => {
    let vectors = await call(unit, sendsDimensions ? { dimensions } : {});
    const longest = Math.max(...vectors.map((vector) => vector.length));
    if (!sendsDimensions && longest > dimensions) {
      sendsDimensions = true;
      vectors = await call(unit, { dimensions }).catch((error: unknown) => {
        sendsDimensions = false;
        throw error instanceof AppError && error.code === 'embedding_rejected'
          ? wrongDimensions(server, { found: longest, dimensions })
          : error;
      });
    }
    if (vectors.length !== unit.texts.length) {
      const counts = `${vectors.length} vectors for ${unit.texts.length} texts`;
      throw embeddingUnavailable(`The embedding server returned ${counts}.`);
    }
    return vectors.map((vector) => {
      if (vector.length !== dimensions) throw wrongDimensions(server, { found: vector.length, dimensions });
      if (!vector.every(Number.isFinite))
        throw embeddingUnavailable('The embedding server returned a vector with values that are not finite numbers.');
      return toUnitVector(vector);
    });
  };
}

/** Returns a function that sends a unit to the server, with options of its API. */
function caller(server: EmbeddingServer) {
  const model = openModel(server);
  return async (unit: EmbeddingUnit, options: { dimensions?: number }): Promise<Float32Array[]> => {
    const { texts, lane, signal } = unit;
    const prefix = server.prefixes?.[lane === 'query' ? 'query' : 'document'] ?? '';
    const deadline = AbortSignal.timeout(lane === 'query' ? QUERY_TIMEOUT_MS : CALL_TIMEOUT_MS);
    const { embeddings } = await embedMany({
      model,
      // Most servers reject an empty input, which has no meaning to embed anyway.
      values: texts.map((text) => prefix + (!server.acceptsBlank && text.trim() === '' ? '-' : text)),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, deadline]),
      headers: server.headersOf?.(unit) ?? {},
      providerOptions: { [PROVIDER]: options },
    }).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason;
      throw toEmbeddingError(error, server);
    });
    return embeddings.map((embedding) => Float32Array.from(embedding));
  };
}

function wrongDimensions(
  { model, settings }: EmbeddingServer,
  { found, dimensions }: { found: number; dimensions: number },
): AppError {
  return embeddingUnavailable(
    `The embedding server returns ${found} dimensions for ${model}, but ${settings.dimensions} is ` +
      `${dimensions}: set it to ${found}, or choose another ${settings.model}.`,
  );
}
