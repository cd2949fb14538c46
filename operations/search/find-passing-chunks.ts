import type { Caller } from '#domain/access/caller.ts';
import { checkConditions, type ConditionCheck } from '#domain/filters/check-conditions.ts';
import { readsChunk, type Filter } from '#domain/filters/filter.ts';
import { NO_FIELDS, toFilterRecord, type ContentFields } from '#domain/filters/filter-record.ts';
import { createChunkReader } from '#domain/filters/matches-filter.ts';
import { fieldsOfFilter, neededFields } from '#domain/filters/needed-fields.ts';
import { createPause } from '#operations/pause.ts';
import type { Services } from '#operations/services.ts';

/** Chunks that one statement reads. */
const PAGE_SIZE = 1_000;
/** Chunks of a content that are examined: more than a text of the default limit of 64 MiB has. */
const MAX_CHUNKS = 100_000;

type PassingQuery = {
  contentId: string;
  collectionId: string;
  /** Null: all published chunks of the content. */
  chunkId: string | null;
  filter: Filter | null;
  signal?: AbortSignal | undefined;
};

/**
 * `shown`: the first chunk that passes, else the first one; null if none is published. `ids`: all that pass. `checks`: the conditions of
 * the filter, of the chunk that passes, else of all chunks.
 */
export type PassingChunks = { shown: string | null; ids: ReadonlySet<string>; checks: readonly ConditionCheck[] };

/** Finds the published chunks of a content in a collection that pass a filter, page by page; metadata only if the filter needs it. */
export async function findPassingChunks(
  services: Services,
  caller: Caller,
  asked: PassingQuery,
): Promise<PassingChunks> {
  const { filter } = asked;
  const fields = await readFields(services, caller, asked);
  const read = createChunkReader(toFilterRecord(fields, {}));
  const pause = createPause(asked.signal);
  const ids = new Set<string>();
  let shown: string | null = null;
  let conditions = filter && checkConditions(filter);
  for await (const rows of pagesOf(services, caller, asked)) {
    for (const { id, metadata } of rows) {
      const chunk = read(metadata ?? {});
      const isPassing = filter === null || chunk.fulfils(filter);
      const isFirst = isPassing && ids.size === 0;
      if (isFirst || shown === null) shown = id;
      if (filter !== null && isFirst) conditions = checkConditions(filter);
      if (ids.size === 0) conditions?.add(chunk);
      if (isPassing) ids.add(id);
      await pause();
    }
  }
  return { shown, ids, checks: conditions?.checks() ?? [] };
}

/** Returns the fields of the content that the filter needs. */
async function readFields(
  { stores }: Services,
  caller: Caller,
  { filter, contentId }: PassingQuery,
): Promise<ContentFields> {
  if (filter === null) return NO_FIELDS;
  const needed = neededFields(fieldsOfFilter(filter));
  const found = await stores.contents.findFields(caller.scope, { ids: [contentId], needed });
  return found.get(contentId) ?? NO_FIELDS;
}

async function* pagesOf(services: Services, caller: Caller, { filter, chunkId, signal, ...of }: PassingQuery) {
  const { chunks } = services.stores;
  const place = { share: caller.scope.workspaceId, lane: 'express', signal } as const;
  const withMetadata = filter !== null && readsChunk(filter);
  for (let from = 0, count = PAGE_SIZE; count === PAGE_SIZE && from < MAX_CHUNKS; from += PAGE_SIZE) {
    const page = { contentId: of.contentId, collectionId: of.collectionId, from, limit: PAGE_SIZE };
    const read = async () => {
      const ids = chunkId === null ? await chunks.listIds(caller.scope, page) : [chunkId];
      return { ids, rows: await chunks.findHits(caller.scope, { ids, withMetadata }) };
    };
    // Workspaces take turns: a large content has a hundred pages.
    const { ids, rows } = await services.searchSlots.run(read, place);
    yield rows.filter((row) => row.collection_id === of.collectionId).sort((a, b) => a.chunk_index - b.chunk_index);
    count = ids.length;
  }
}
