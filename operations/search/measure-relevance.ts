import { setImmediate } from 'node:timers/promises';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { storedText } from '#domain/chunking/chunker.ts';
import type { Embedder, EmbeddingSpace } from '#domain/embedder.ts';
import type { SearchRequest } from '#domain/records/search.ts';
import { CALIBRATION_PAIRS } from '#domain/search/calibration-pairs.ts';
import { coverageOf, createMatcher, type QueryMatcher } from '#domain/search/find-matches.ts';
import { calibrate, relevanceOf, similarityOf, type Calibration } from '#domain/search/relevance.ts';
import type { ChunkText } from '#store/contents/chunk-hits.ts';
import type { Services } from '#operations/services.ts';
import type { VectorOf } from './query-vectors.ts';

/** Calibrated with the first search that needs it, once in each process. */
const calibrations = new WeakMap<Embedder, Promise<Calibration | null>>();

/**
 * `vectorOf`: the vector of the query in a space. `isOfSeveral`: whether several collections were searched, of which one that fails must
 * not fail the others. Callers that measure several times keep for them the query as it was read, and the collections of which vectors
 * could not be compared.
 */
type RelevanceRequest = Pick<SearchRequest, 'query' | 'search_type'> & {
  vectorOf: VectorOf;
  isOfSeveral: boolean;
  matcher?: QueryMatcher;
  byWordsAlone?: Set<string>;
};
type RatedHit = { row: ChunkText };
type Similarities = { byChunk: ReadonlyMap<string, number>; calibration: Calibration | null };
const WORDS_ALONE: Similarities = { byChunk: new Map(), calibration: null };
/** How long a search over several collections waits for one of them, and a keyword search for vectors. */
const COMPARISON_LIMIT_MS = 5_000;

/**
 * Measures how relevant hits are by themselves, whatever else was found. The hits of a keyword search are compared by their vectors
 * as well, because words alone tell little about long questions, but it needs no embedder: without one, words decide.
 * @throws AppError `conflict` when the embedder of a collection is not configured; `dependency_unavailable` when one collection was
 *   searched.
 */
export async function measureRelevance<One extends RatedHit>(
  services: Services,
  caller: Caller,
  { request, hits }: { request: RelevanceRequest; hits: readonly One[] },
): Promise<(One & { relevance: number })[]> {
  const { matcher = createMatcher(request.query), byWordsAlone = new Set<string>() } = request;
  const byCollection = Map.groupBy(hits, ({ row }) => row.collection_id);
  const compared = new Map<string, Similarities>();
  const isKeyword = request.search_type === 'keyword';
  await Promise.all(
    [...byCollection].map(async ([id, ofCollection]) => {
      if (byWordsAlone.has(id)) return;
      const comparison = compareVectors(services, caller, { request, collectionId: id, ofCollection });
      const mayFail = isKeyword || request.isOfSeveral;
      const similarities = mayFail ? await orWordsAlone(comparison, { needsEmbedder: !isKeyword }) : await comparison;
      if (similarities === WORDS_ALONE) byWordsAlone.add(id);
      compared.set(id, similarities);
    }),
  );
  const measured: (One & { relevance: number })[] = [];
  for (const hit of hits) {
    // Each text is read as a whole: other requests go on in between.
    await setImmediate();
    const coverage = coverageOf(matcher, storedText(hit.row));
    const vectors = compared.get(hit.row.collection_id);
    const similarity = vectors?.byChunk.get(hit.row.id) ?? null;
    measured.push({ ...hit, relevance: relevanceOf({ similarity, coverage }, vectors?.calibration ?? null) });
  }
  return measured;
}

/**
 * One of several collections must not fail the search, or keep it back, because its embedder is not calibrated yet and does not answer:
 * words alone decide about its hits. Nor must a keyword search, which needs no embedder and may have none.
 */
export async function orWordsAlone(
  comparison: Promise<Similarities>,
  { limitMs = COMPARISON_LIMIT_MS, needsEmbedder = true }: { limitMs?: number; needsEmbedder?: boolean } = {},
): Promise<Similarities> {
  const late = Promise.withResolvers<Similarities>();
  const timer = setTimeout(() => late.resolve(WORDS_ALONE), limitMs);
  try {
    return await Promise.race([comparison, late.promise]);
  } catch (error) {
    const isExpected = error instanceof AppError && (!needsEmbedder || error.code === 'dependency_unavailable');
    if (isExpected) return WORDS_ALONE;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

type Comparison = { request: RelevanceRequest; collectionId: string; ofCollection: readonly RatedHit[] };

async function compareVectors(
  services: Services,
  caller: Caller,
  { request: { search_type, vectorOf }, collectionId, ofCollection }: Comparison,
): Promise<Similarities> {
  const found = await services.stores.collections.findIndex(caller.scope, collectionId);
  if (!found) return WORDS_ALONE;
  const { space, tenant } = found.index;
  // Vectors of hashed words say nothing that words do not.
  if (search_type === 'keyword' && space.provider === 'lexical') return WORDS_ALONE;
  const ids = ofCollection.map(({ row }) => row.id);
  const [queryVector, vectors, calibration] = await Promise.all([
    vectorOf(space),
    services.vectors.fetchVectors(space, tenant, ids),
    findCalibration(services, space),
  ]);
  const byChunk = new Map([...vectors].map(([id, vector]) => [id, similarityOf(queryVector, vector)]));
  return { byChunk, calibration };
}

async function findCalibration(services: Services, space: EmbeddingSpace): Promise<Calibration | null> {
  const embedder = services.embedders.forSpace(space);
  if (!embedder) return null;
  const known = calibrations.get(embedder) ?? calibrateEmbedder(embedder);
  calibrations.set(embedder, known);
  // A server that was away is asked again.
  known.catch(() => calibrations.delete(embedder));
  return known;
}

async function calibrateEmbedder(embedder: Embedder): Promise<Calibration | null> {
  const [questions, passages] = await Promise.all([
    embedder.embed(
      CALIBRATION_PAIRS.map(([question]) => question),
      'query',
    ),
    embedder.embed(
      CALIBRATION_PAIRS.map(([, passage]) => passage),
      'document',
      { lane: 'express' },
    ),
  ]);
  return calibrate(embedder.space.provider, { questions, passages });
}
