import { AppError, validationError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { compileFilter } from '#domain/filters/compile-filter.ts';
import type { Filter } from '#domain/filters/filter.ts';
import { MAX_SEARCHED_COLLECTIONS, type FailedCollection, type SearchRequest } from '#domain/records/search.ts';
import { mergeCollections, type CollectionLegs } from '#domain/search/merge-collections.ts';
import type { SearchedIndex } from '#store/collections/collections.ts';
import { collectionNotFound } from '#operations/collections/collections.ts';
import type { ContentVersion } from '#store/weaviate/vector-index.ts';
import type { Services } from '#operations/services.ts';
import { requireIndexExists } from './rank-collection.ts';
import { queryVectors, spaceKey, type VectorOf } from './query-vectors.ts';
import type { Ranking } from './ranking.ts';

/** Hits of each leg of a collection, at least: a chunk that is far down in both legs can be among the best of both together. */
const MIN_LEG_DEPTH = 50;
/** How long a search waits for the index in all, which is as long as one call may take: legs that wait for a slot do not add up. */
const LIMIT_MS = 30_000;

/** `limitMs`: how long it waits for the index. */
type CollectionsSearch = {
  request: SearchRequest;
  filter: Filter | null;
  collectionIds: readonly string[];
  signal?: AbortSignal | undefined;
  limitMs?: number;
};
type Outcome = { legs: CollectionLegs } | { failed: FailedCollection; error: unknown };

/**
 * Ranks several collections together: each is searched by itself, and their hits are merged. A collection that fails is
 * named, and the others are searched all the same; so is each that has not answered when the time of the search is over. No ids:
 * every collection with contents that the caller reaches.
 * @throws AppError `not_found` when one of the ids is not in scope; `validation_failed` when there are too many collections; the
 *   failure of the first collection when all fail.
 */
export async function rankCollections(services: Services, caller: Caller, search: CollectionsSearch): Promise<Ranking> {
  const targets = await findSearchedCollections(services, caller, search.collectionIds);
  const { request, signal } = search;
  const text = { text: request.query, share: caller.scope.workspaceId, signal };
  const hasOthers = new Set(targets.map(({ index }) => spaceKey(index.space))).size > 1;
  const vectorOf = queryVectors(services, text, { hasOthers });
  const deadline = createDeadline(search.limitMs ?? LIMIT_MS);
  let failed: FailedCollection[] = [];
  return {
    collectionIds: new Set(targets.map(({ collectionId }) => collectionId)),
    vectorOf,
    searchIndex: async (limit, exclude) => {
      const depth = Math.max(limit, MIN_LEG_DEPTH);
      const common = { search, vectorOf, deadline };
      const outcomes = await Promise.all(
        targets.map((target) => searchTarget(services, caller, { ...common, target, depth, exclude })),
      ).finally(() => deadline.pause());
      const failures = outcomes.filter((outcome) => 'failed' in outcome);
      const [first] = failures;
      if (first && failures.length === outcomes.length) throw first.error;
      failed = failures.map((failure) => failure.failed);
      const found = outcomes.flatMap((outcome) => ('legs' in outcome ? [outcome.legs] : []));
      const merged = mergeCollections(found).slice(0, limit);
      return merged.map((hit) => ({ ...hit, legs: search.request.explain ? hit.legs : null }));
    },
    // Each collection without hits was looked at already.
    requireIndexExists: async () => undefined,
    failed: () => failed,
  };
}

/**
 * Returns the collections that a search of these ids looks through: those with contents. No ids: every one that the caller reaches.
 * @throws AppError `not_found` when one of the ids is not in scope; `validation_failed` when there are too many.
 */
export async function findSearchedCollections(
  services: Services,
  caller: Caller,
  ids: readonly string[],
): Promise<SearchedIndex[]> {
  const asked = ids.length === 0 ? null : [...new Set(ids)];
  const limit = MAX_SEARCHED_COLLECTIONS + 1;
  const targets = await services.stores.collections.findIndexes(caller.scope, { ids: asked, limit });
  if (asked !== null && targets.length < asked.length) throw collectionNotFound();
  if (targets.length <= MAX_SEARCHED_COLLECTIONS) return targets.filter((target) => target.hasPublished);
  const msg = `Your credentials reach more than ${MAX_SEARCHED_COLLECTIONS} collections with contents: name those to search`;
  throw validationError([{ loc: ['body', 'collection_ids'], msg, type: 'too_many_collections' }]);
}

type Deadline = ReturnType<typeof createDeadline>;

/**
 * Creates the deadline of a search: `start` begins it, or lets it go on, until `pause`; what follows a search of the index, such as
 * reranking, takes none of its time. `explain` says what its error means.
 */
function createDeadline(limitMs: number) {
  let leftMs = limitMs;
  let running: { signal: AbortSignal; sinceMs: number } | null = null;
  return {
    start(): AbortSignal {
      running ??= { signal: AbortSignal.timeout(Math.max(0, Math.ceil(leftMs))), sinceMs: performance.now() };
      return running.signal;
    },
    pause(): void {
      if (running !== null) leftMs -= performance.now() - running.sinceMs;
      running = null;
    },
    explain(error: unknown): unknown {
      if (running?.signal.aborted !== true || error !== running.signal.reason) return error;
      const message = `The search index did not answer within ${limitMs / 1_000} s; try again shortly.`;
      return new AppError('dependency_unavailable', message, { cause: error, retryAfterS: 5 });
    },
  };
}

type TargetSearch = {
  target: SearchedIndex;
  depth: number;
  exclude: readonly ContentVersion[];
  search: CollectionsSearch;
  vectorOf: VectorOf;
  deadline: Deadline;
};

async function searchTarget(services: Services, caller: Caller, asked: TargetSearch): Promise<Outcome> {
  try {
    return { legs: await searchLegs(services, caller, asked) };
  } catch (thrown) {
    const error = asked.deadline.explain(thrown);
    if (!(error instanceof AppError)) throw error;
    const { code, message } = error;
    return { failed: { collection_id: asked.target.collectionId, code, message }, error };
  }
}

async function searchLegs(services: Services, caller: Caller, asked: TargetSearch): Promise<CollectionLegs> {
  const { target, depth, exclude, search, vectorOf, deadline } = asked;
  const { query, search_type: type } = search.request;
  const { space, tenant } = target.index;
  const queryVector = type === 'keyword' ? null : await vectorOf(space);
  const filter = search.filter === null ? null : compileFilter(search.filter);
  // Begins with the first leg: embedding the query has a limit of its own.
  const late = deadline.start();
  const signal = search.signal ? AbortSignal.any([search.signal, late]) : late;
  const place = { share: caller.scope.workspaceId, lane: 'express', signal } as const;
  const leg = (name: 'keyword' | 'vector') => {
    const ask = { type: name, queryText: query, queryVector, filter, exclude, limit: depth, signal };
    return services.searchSlots.run(() => services.vectors.search(space, tenant, ask), place);
  };
  const [keyword, vector] = await Promise.all([
    type === 'vector' ? null : leg('keyword'),
    type === 'keyword' ? null : leg('vector'),
  ]);
  const isEmpty = (keyword?.length ?? 0) + (vector?.length ?? 0) === 0;
  if (isEmpty) await services.searchSlots.run(() => requireIndexExists(services, target), place);
  return { space: spaceKey(space), keyword, vector };
}
