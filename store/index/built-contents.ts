import type { BuildPosition } from '#domain/index/reembed-job.ts';
import type { ReindexPart } from '#domain/index/reindex-job.ts';
import type { Scope } from '#domain/access/scope.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import { IN_PROGRESS_OR_PAUSED } from '#store/uploads/change-runs.ts';
import type { ChunkToRewrite } from './reindexings.ts';

/** A generation that is built. */
export type BuildKey = { collectionId: string; number: number };
/** `chunk_count`: how many chunks the published version has. */
export type ChunkToBuild = ChunkToRewrite & { chunk_count: number };
export type BuiltContent = { content_id: string; version: number };

const PUBLISHED = `cc.workspace_id = :workspaceId and cc.collection_id = :collectionId and cc.active_version is not null
  and cc.chunk_count > 0`;
const UNBUILT = `(cc.built_generation is distinct from :number::int or cc.built_version is distinct from cc.active_version)`;
// The last byte of an id is random.
const IN_PART = 'get_byte(uuid_send(cc.content_id), 15) % :parts::int = :part::int';

/**
 * What an index generation has that is built beside another one. A content is built when every chunk of its published version has
 * been written there: the mark is made after the last one was acknowledged, or by the publication of a run that wrote to both.
 */
export function createBuiltContents(database: Database) {
  const bind = (scope: Scope, build: BuildKey) => ({ workspaceId: scope.workspaceId, ...build });
  return {
    /** Returns the next chunks of a part that are not built, ordered by content and index. Null: from the beginning. */
    listChunks(
      scope: Scope,
      build: BuildKey,
      { part, after, limit }: { part: ReindexPart; after: BuildPosition | null; limit: number },
    ): Promise<ChunkToBuild[]> {
      return query<ChunkToBuild>(
        database,
        `select ch.id, cc.content_id, ch.version, ch.chunk_index, ch.content, ch.context, ch.metadata, cc.chunk_count
         from content_collections cc
         cross join lateral (
           select * from chunks ch
           where ch.content_id = cc.content_id and ch.collection_id = cc.collection_id and ch.version = cc.active_version
             and ch.chunk_index >
               case when cc.content_id = :content::uuid and cc.active_version = :version::int then :chunk::int else -1 end
           order by ch.chunk_index limit :limit) ch
         where ${PUBLISHED} and ${UNBUILT} and ${IN_PART} and (:content::uuid is null or cc.content_id >= :content::uuid)
         order by cc.content_id, ch.chunk_index limit :limit`,
        {
          ...bind(scope, build),
          content: after?.content ?? null,
          version: after?.version ?? null,
          chunk: after?.chunk ?? -1,
          parts: part.of,
          part: part.number,
          limit,
        },
      );
    },

    /** Returns those of the contents whose published version is the given one. */
    async stillPublished(scope: Scope, build: BuildKey, contents: readonly BuiltContent[]): Promise<Set<string>> {
      const rows = await query<{ content_id: string }>(
        database,
        `select cc.content_id from content_collections cc
         join unnest(:ids::uuid[], :versions::int[]) as given(id, version) on given.id = cc.content_id
         where ${PUBLISHED} and cc.active_version = given.version`,
        { ...bind(scope, build), ...lists(contents) },
      );
      return new Set(rows.map((row) => row.content_id));
    },

    /** Marks contents as built in these versions, except those that have another version by now or a mark. Returns how many. */
    async mark(scope: Scope, build: BuildKey, contents: readonly BuiltContent[]): Promise<number> {
      if (contents.length === 0) return 0;
      const rows = await query(
        database,
        `with built as (
           select cc.content_id from content_collections cc
           join unnest(:ids::uuid[], :versions::int[]) as given(id, version) on given.id = cc.content_id
           where ${PUBLISHED} and ${UNBUILT} and cc.active_version = given.version order by cc.content_id for update of cc
         )
         update content_collections cc set built_generation = :number::int, built_version = cc.active_version
         from built where cc.content_id = built.content_id and ${ofCollection('cc')} returning cc.content_id`,
        { ...bind(scope, build), ...lists(contents) },
      );
      return rows.length;
    },

    /** Forgets what is built of at most `limit` contents. Returns how many. */
    async forget(scope: Scope, build: BuildKey, limit: number): Promise<number> {
      const rows = await query(
        database,
        `with built as (
           select cc.content_id from content_collections cc where cc.workspace_id = :workspaceId
             and cc.collection_id = :collectionId and cc.built_generation = :number::int
           order by cc.content_id limit :limit for update of cc
         )
         update content_collections cc set built_generation = null, built_version = null
         from built where cc.content_id = built.content_id and ${ofCollection('cc')} returning cc.content_id`,
        { ...bind(scope, build), limit },
      );
      return rows.length;
    },

    async isAnyUnbuilt(scope: Scope, build: BuildKey): Promise<boolean> {
      const row = await queryOne(
        database,
        `select 1 from content_collections cc where ${PUBLISHED} and ${UNBUILT} limit 1`,
        bind(scope, build),
      );
      return row !== null;
    },

    /** Returns how many contents are published, and their chunks. */
    async countPublished(scope: Scope, build: BuildKey): Promise<{ contents: number; chunks: number }> {
      const row = await queryOne<{ contents: number; chunks: number }>(
        database,
        `select count(*) as contents, coalesce(sum(cc.chunk_count), 0)::bigint as chunks
         from content_collections cc where ${PUBLISHED}`,
        bind(scope, build),
      );
      return row ?? { contents: 0, chunks: 0 };
    },

    /**
     * Lets runs in progress index their contents again from the first chunk: what they have written may be in the old index only.
     * The caller holds the lock of the generations.
     */
    async restartRuns(scope: Scope, collectionId: string): Promise<void> {
      await query(
        database,
        `with begun as (
           select content_id from content_collections where workspace_id = :workspaceId and collection_id = :collectionId
             and stage = 'indexing' and indexed_chunks > 0 order by content_id for update
         )
         update content_collections cc set indexed_chunks = 0
         from begun where cc.content_id = begun.content_id and ${ofCollection('cc')}`,
        { workspaceId: scope.workspaceId, collectionId },
      );
    },

    /** The same in all collections of a workspace, whose indexes may have lost what was written. */
    async restartAllRuns(scope: Scope): Promise<void> {
      await query(
        database,
        `with begun as (
           select cc.content_id, cc.collection_id from content_collections cc
           join collections c on c.id = cc.collection_id and c.workspace_id = :workspaceId
           where cc.workspace_id = :workspaceId and ${IN_PROGRESS_OR_PAUSED} and cc.stage = 'indexing' and cc.indexed_chunks > 0
           order by cc.content_id, cc.collection_id for update of cc
         )
         update content_collections cc set indexed_chunks = 0 from begun
         where cc.content_id = begun.content_id and cc.collection_id = begun.collection_id`,
        { workspaceId: scope.workspaceId },
      );
    },

    /** Records what was written by a part, and that the work waits for nothing. */
    async advance(scope: Scope, reembeddingId: string, written: { contents: number; chunks: number }): Promise<void> {
      await query(
        database,
        `update reembeddings set contents = contents + :contents::bigint, chunks = chunks + :chunks::bigint,
           total_contents = greatest(total_contents, contents + :contents::bigint), updated_at = now(),
           status_message = case when status = 'building' then null else status_message end
         where id = :reembeddingId and workspace_id = :workspaceId and status in ('building', 'paused')`,
        { workspaceId: scope.workspaceId, reembeddingId, ...written },
      );
    },
  };
}

export type BuiltContents = ReturnType<typeof createBuiltContents>;

function lists(contents: readonly BuiltContent[]) {
  return { ids: contents.map(({ content_id }) => content_id), versions: contents.map(({ version }) => version) };
}
