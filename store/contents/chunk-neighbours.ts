import type { Scope } from '#domain/access/scope.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { query, type Database } from '#store/postgres.ts';

/** A chunk of the same version of the content, at most a few places away from the chunk `of`. */
export type ChunkNeighbour = { of: string; id: string; chunk_index: number; content: string };

/** All neighbours of one answer. Those of the first chunks come first; the rest is left out. */
const MAX_BYTES = 1024 * 1024;

/** Returns the neighbours of published chunks, those of the first ids first, until their texts have `MAX_BYTES`. */
export function findNeighbours(
  database: Database,
  scope: Scope,
  asked: { ids: readonly string[]; before: number; after: number },
): Promise<ChunkNeighbour[]> {
  return query<ChunkNeighbour>(
    database,
    `select of, id, chunk_index, content from (
       select asked.id as of, asked.place, near.id, near.chunk_index, near.content,
         sum(octet_length(near.content)) over (order by asked.place, near.chunk_index) as bytes
       from unnest(:ids::uuid[]) with ordinality asked(id, place)
       cross join lateral (select * from chunks where id = asked.id offset 0) ch
       cross join lateral (
         select from content_collections cc where cc.content_id = ch.content_id and cc.collection_id = ch.collection_id
           and cc.workspace_id = :workspaceId and cc.active_version = ch.version
           and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
           and ${notDeleting('cc.collection_id')} offset 0) published
       cross join lateral (
         select n.id, n.chunk_index, n.content from chunks n
         where n.content_id = ch.content_id and n.collection_id = ch.collection_id and n.version = ch.version
           and n.chunk_index between ch.chunk_index - :before::int and ch.chunk_index + :after::int
           and n.chunk_index <> ch.chunk_index) near
     ) listed where bytes <= ${MAX_BYTES} order by place, chunk_index`,
    { ...scope, ...asked },
  );
}

/** Returns the ids of the published chunks of a content in a collection from a place on, in their order. */
export async function listChunkIds(
  database: Database,
  scope: Scope,
  asked: { contentId: string; collectionId: string; from: number; limit: number },
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    database,
    `select ch.id from content_collections cc
     join chunks ch on ch.content_id = cc.content_id and ch.collection_id = cc.collection_id and ch.version = cc.active_version
     where cc.workspace_id = :workspaceId and cc.content_id = :contentId and cc.collection_id = :collectionId
       and (:collectionIds::uuid[] is null or cc.collection_id = any(:collectionIds::uuid[]))
       and ${notDeleting('cc.collection_id')} and ch.chunk_index >= :from order by ch.chunk_index limit :limit`,
    { ...scope, ...asked },
  );
  return rows.map(({ id }) => id);
}
