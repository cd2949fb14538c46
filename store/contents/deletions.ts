import type { EmbeddingSpace } from '#domain/embedder.ts';
import type { Deletion } from '#domain/records/deletion.ts';
import type { Scope } from '#domain/access/scope.ts';
import { removeCrawledContent } from '#store/crawls/remove-crawls.ts';
import { detachEntries, type GoneContent } from '#store/archives/detach-entries.ts';
import { lockContents, lockRuns } from './lock-contents.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

/** A receipt as its table has it. */
export type ReceiptRow = Omit<Deletion, 'removed' | 'verified_at' | 'created_at' | 'completed_at'> &
  Deletion['removed'] & {
    verified_at: Date | null;
    created_at: Date;
    completed_at: Date | null;
  };

/** The columns of a receipt. */
export const RECEIPT_COLUMNS = `id, workspace_id, kind, subject_id, status, contents, chunks, index_objects, blobs, collections, conversations, messages,
  memories, verified_at, created_at, completed_at`;

/** A content in a collection, with the tenant that holds its objects. */
export type IndexedLink = { collection_id: string; tenant: string } & EmbeddingSpace;

const COUNTED = ['contents', 'chunks', 'indexObjects', 'blobs'] as const;
const NO_COUNTS = { contents: 0, chunks: 0, indexObjects: 0, blobs: 0 };

/** Deletions and their receipts. */
export function createDeletionStore(database: Database) {
  return {
    async insert(
      scope: Scope,
      deletion: { kind: Deletion['kind']; subjectId: string; collectionId: string | null; createdBy: string },
    ): Promise<string> {
      const row = await queryOne<{ id: string }>(
        database,
        `insert into deletions (workspace_id, kind, subject_id, collection_id, created_by)
         values (:workspaceId, :kind, :subjectId, :collectionId, :createdBy) returning id`,
        { workspaceId: scope.workspaceId, ...deletion },
      );
      if (!row) throw new Error('insert returned no row');
      return row.id;
    },

    /** The receipt, for whoever asked for the deletion or reaches the collection it was in; else null. */
    async find(scope: Scope, id: string, createdBy: string): Promise<Deletion | null> {
      const row = await queryOne<ReceiptRow>(
        database,
        `select ${RECEIPT_COLUMNS} from deletions where id = :id and workspace_id = :workspaceId
           and (:collectionIds::uuid[] is null or collection_id = any(:collectionIds::uuid[]) or created_by = :createdBy)`,
        { ...scope, id, createdBy },
      );
      return row && toDeletion(row);
    },

    /** The deletion of a content that is not completed and that the scope reaches, or null. */
    findUnfinished(scope: Scope, subjectId: string): Promise<{ id: string; status: Deletion['status'] } | null> {
      return queryOne(
        database,
        `select id, status from deletions where workspace_id = :workspaceId and subject_id = :subjectId and status <> 'completed'
           and (:collectionIds::uuid[] is null or collection_id = any(:collectionIds::uuid[])) order by id desc limit 1`,
        { ...scope, subjectId },
      );
    },

    /** Collections in which a content waits for its removal. */
    findLinks(scope: Scope, contentId: string): Promise<IndexedLink[]> {
      return query<IndexedLink>(
        database,
        `select cc.collection_id, g.tenant, g.provider, g.model, g.model_hash, g.dimensions from content_collections cc
         join index_generations g on g.collection_id = cc.collection_id and g.status <> 'retired'
         where cc.workspace_id = :workspaceId and cc.content_id = :contentId and cc.stage = 'deleting'`,
        { workspaceId: scope.workspaceId, contentId },
      );
    },

    /** Adds to the counts of the receipt. */
    async addCounts(
      scope: Scope,
      id: string,
      removed: Partial<Record<(typeof COUNTED)[number], number>>,
    ): Promise<void> {
      await query(
        database,
        `update deletions set status = 'running', chunks = chunks + :chunks::int, index_objects = index_objects + :indexObjects::int,
           contents = contents + :contents::int, blobs = blobs + :blobs::int
         where id = :id and workspace_id = :workspaceId and status <> 'completed'`,
        { workspaceId: scope.workspaceId, id, ...NO_COUNTS, ...removed },
      );
    },

    /**
     * Removes the last rows of a content and completes the receipt, in one transaction. The content itself goes when no
     * collection links it any more. Returns whether it is at home elsewhere now, with another `external_id`.
     */
    complete(scope: Scope, id: string, contentId: string): Promise<boolean> {
      return database.transaction(async (transaction) => {
        const bindings = { workspaceId: scope.workspaceId, id, contentId };
        await lockRuns(transaction, scope.workspaceId, [contentId]);
        await query(
          transaction,
          // What came to be deleted meanwhile, with its collection, still has its chunks and goes with that.
          `delete from content_collections cc where workspace_id = :workspaceId and content_id = :contentId and stage = 'deleting'
             and not exists (select 1 from chunks ch where ch.content_id = cc.content_id and ch.collection_id = cc.collection_id)`,
          bindings,
        );
        await lockContents(transaction, scope.workspaceId, [contentId]);
        await removeCrawledContent(transaction, { workspaceId: scope.workspaceId, contentId });
        const gone = await query<GoneContent & { content_hash: string | null }>(
          transaction,
          `delete from contents t where t.id = :contentId and t.workspace_id = :workspaceId
             and not exists (select 1 from content_collections cc where cc.content_id = t.id) returning t.id, t.part_of, t.content_hash`,
          bindings,
        );
        // A content that lives on elsewhere is at home there.
        const moved = await queryOne<{ is_renamed: boolean }>(
          transaction,
          `update contents t set collection_id = cc.collection_id, external_id = cc.external_id, updated_at = now(),
             status = case when cc.paused then 'paused' else cc.stage end, status_message = cc.stage_message
           from content_collections cc where t.id = :contentId and t.workspace_id = :workspaceId and cc.content_id = t.id
             and cc.collection_id = (select collection_id from content_collections where content_id = t.id order by created_at, collection_id limit 1)
             and not exists (select 1 from content_collections home where home.content_id = t.id and home.collection_id = t.collection_id)
           returning old.external_id is distinct from new.external_id as is_renamed`,
          bindings,
        );
        const [blobs] = await query<{ count: number }>(
          transaction,
          `select count(*) as count from blobs b where b.workspace_id = :workspaceId and b.sha256 = any(:hashes::text[])
             and not exists (select 1 from contents t where t.workspace_id = b.workspace_id and t.content_hash = b.sha256)`,
          { ...bindings, hashes: gone.map((row) => row.content_hash) },
        );
        await query(
          transaction,
          `update deletions set status = 'completed', contents = contents + :contents::int, blobs = blobs + :blobs::int, verified_at = now(), completed_at = now()
           where id = :id and workspace_id = :workspaceId and status <> 'completed'`,
          { ...bindings, contents: gone.length, blobs: blobs?.count ?? 0 },
        );
        // After the receipt, which looks for nothing any more: what is still being deleted is left to others.
        await detachEntries(transaction, { workspaceId: scope.workspaceId, gone });
        return moved?.is_renamed === true;
      });
    },
  };
}

export type DeletionStore = ReturnType<typeof createDeletionStore>;

/** A receipt as its record. */
export function toDeletion(row: ReceiptRow): Deletion {
  const { contents, chunks, index_objects, blobs, collections, conversations, messages, memories, ...rest } = row;
  return {
    ...rest,
    removed: { contents, chunks, index_objects, blobs, collections, conversations, messages, memories },
    verified_at: row.verified_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
