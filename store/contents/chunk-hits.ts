import type { Scope } from '#domain/access/scope.ts';
import type { ChunkMetadata } from '#domain/records/chunk.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { query, type Database } from '#store/postgres.ts';

/** A published chunk without its text. `metadata` is null unless it was asked for. */
export type ChunkHit = {
  id: string;
  content_id: string;
  collection_id: string;
  chunk_index: number;
  metadata: ChunkMetadata | null;
};

/** What a published chunk says, without its content. `context`: what is indexed before its text. */
export type ChunkText = Omit<ChunkHit, 'metadata'> & { content: string; context: string; metadata: ChunkMetadata };

/**
 * Joins the published chunks `ch` with the ids of a binding. `offset 0` keeps the planner from merging the subqueries: it then
 * looks up each row by key, even when it has no statistics yet of tables that were just filled.
 */
export const PUBLISHED_BY_ID = `unnest(:ids::uuid[]) as asked(id)
    cross join lateral (select * from chunks where id = asked.id offset 0) ch
    cross join lateral (
      select from content_collections cc where cc.content_id = ch.content_id and cc.collection_id = ch.collection_id
        and cc.workspace_id = :workspaceId and cc.active_version = ch.version
        and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
        and ${notDeleting('cc.collection_id')} offset 0) published`;

const COLUMNS = 'ch.id, ch.content_id, ch.collection_id, ch.chunk_index';

const FIND_HITS = {
  name: 'find_chunk_hits',
  sql: `select ${COLUMNS}, case when :withMetadata::boolean then ch.metadata end as metadata from ${PUBLISHED_BY_ID}`,
};

const FIND_TEXTS = {
  name: 'find_chunk_texts',
  sql: `select ${COLUMNS}, ch.content, ch.context, ch.metadata from ${PUBLISHED_BY_ID}`,
};

/** More versions than that are not told of: a filter of the index names each. */
const MAX_UNPUBLISHED_VERSIONS = 500;

const FIND_UNPUBLISHED = {
  name: 'find_unpublished_versions',
  sql: `select distinct ch.content_id, ch.version from unnest(:ids::uuid[]) as asked(id)
    cross join lateral (select * from chunks where id = asked.id offset 0) ch
    left join lateral (
      select cc.active_version from content_collections cc
      where cc.content_id = ch.content_id and cc.collection_id = ch.collection_id
        and cc.workspace_id = :workspaceId offset 0) link on true
    where link.active_version is distinct from ch.version
    limit :limit`,
};

/**
 * Returns versions that are not published, of the chunks with these ids: they are being ingested, or removed. At most 500, in any
 * order.
 */
export function findUnpublishedVersions(
  database: Database,
  scope: Scope,
  ids: readonly string[],
): Promise<{ content_id: string; version: number }[]> {
  return query(database, FIND_UNPUBLISHED, { ...scope, ids, limit: MAX_UNPUBLISHED_VERSIONS });
}

/** Returns the published chunks among these ids, in any order. */
export function findChunkHits(
  database: Database,
  scope: Scope,
  asked: { ids: readonly string[]; withMetadata: boolean },
): Promise<ChunkHit[]> {
  return query<ChunkHit>(database, FIND_HITS, { ...scope, ...asked });
}

/** Returns the published chunks among these ids with their texts, in any order. */
export function findChunkTexts(database: Database, scope: Scope, ids: readonly string[]): Promise<ChunkText[]> {
  return query<ChunkText>(database, FIND_TEXTS, { ...scope, ids });
}
