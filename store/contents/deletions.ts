import type { EmbeddingSpace } from '#domain/embedder.ts';
import { deletionWorkflowId, type DeletionKind } from '#domain/deletion-kinds.ts';
import type { Deletion } from '#domain/records/deletion.ts';
import type { DeletionStatus } from '#domain/statuses.ts';
import type { Scope } from '#domain/access/scope.ts';
import { removeCrawledContent } from '#store/crawls/remove-crawls.ts';
import { detachEntries } from '#store/archives/detach-entries.ts';
import {
  ADD_CONTENTS,
  NO_COUNTS,
  countUnlinked,
  countUnreferencedBlobs,
  type DeletedContent,
  type DeletionCounts,
} from './deletion-counts.ts';
import { lockContents, lockRuns } from './lock-contents.ts';
import { settleRemoved } from './outdated-filters.ts';
import { queryNewestRows, type Listed, type ListPart, type NewestPage } from '#store/newest-rows.ts';
import { mapPage, type Page } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';
import type { EndedRun } from '#store/uploads/change-runs.ts';

/** A row of the table `deletions`. */
export type ReceiptRow = Omit<Deletion, 'removed' | 'workflow_id' | 'verified_at' | 'created_at' | 'completed_at'> &
  Deletion['removed'] & {
    verified_at: Date | null;
    created_at: Date;
    completed_at: Date | null;
  };

const receiptColumns = (
  counts: string,
) => `id, workspace_id, kind, subject_id, status, ${counts}, chunks, index_objects, collections,
  conversations, messages, memories, user_id, verified_at, created_at, completed_at`;
/** Columns of a receipt. */
export const RECEIPT_COLUMNS = receiptColumns('contents, blobs');
/** For callers that do not reach all collections: whether others have the same contents and files makes no difference. */
const LIMITED_COLUMNS = receiptColumns(
  'coalesce(unlinked_contents, contents) as contents, coalesce(unlinked_blobs, blobs) as blobs',
);
const columnsFor = ({ collectionIds }: Scope) => (collectionIds === null ? RECEIPT_COLUMNS : LIMITED_COLUMNS);

/** A collection that links a content, with the Weaviate tenant that holds the objects. */
export type IndexedLink = { collection_id: string; version: number; tenant: string } & EmbeddingSpace;

/** Who asks for receipts: those that it requested are shown to it, and those about its own memories. */
type Reader = { principal: string; userId: string | null };

export type DeletionFilter = { kinds: readonly DeletionKind[]; statuses: readonly DeletionStatus[] };

const OF_KINDS = 'unnest(:kinds::text[]) k(kind) cross join unnest(:statuses::text[]) s(status)';
const MATCHING = 'r.workspace_id = :workspaceId and r.kind = k.kind and r.status = s.status';
const OF_WORKSPACE: readonly ListPart[] = [{ from: OF_KINDS, where: MATCHING }];
/** What `find` returns to callers that do not reach all collections. */
const OF_READER: readonly ListPart[] = [
  {
    from: `${OF_KINDS} cross join unnest(:collectionIds::uuid[]) c(id)`,
    where: `k.kind in ('content', 'collection') and r.collection_id = c.id and ${MATCHING}`,
  },
  { from: OF_KINDS, where: `r.created_by = :createdBy and ${MATCHING}` },
  { from: OF_KINDS, where: `k.kind = 'user_memories' and r.user_id = :readerId and ${MATCHING}` },
];

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

    /**
     * Returns the receipt if the caller requested the deletion, its collection is in scope, or it is about the memories of the
     * caller; else null.
     */
    async find(scope: Scope, id: string, caller: Reader): Promise<Deletion | null> {
      const row = await queryOne<ReceiptRow>(
        database,
        `select ${columnsFor(scope)} from deletions where id = :id and workspace_id = :workspaceId
           and (:collectionIds::uuid[] is null or collection_id = any(:collectionIds::uuid[]) or created_by = :createdBy
             or (kind = 'user_memories' and user_id = :readerId))`,
        { ...scope, id, createdBy: caller.principal, readerId: caller.userId },
      );
      return row && toDeletion(row);
    },

    /** Returns a page of the receipts that `find` returns to the caller, newest first. */
    async list(
      scope: Scope,
      { principal, userId }: Reader,
      request: DeletionFilter & { page: NewestPage },
    ): Promise<Page<Listed<Deletion>>> {
      const parts = scope.collectionIds === null ? OF_WORKSPACE : OF_READER;
      const list = { table: 'deletions', columns: columnsFor(scope), texts: ['r.user_id'], parts };
      const bindings = { ...scope, createdBy: principal, readerId: userId, ...request };
      const page = await queryNewestRows<ReceiptRow>(database, list, bindings);
      return mapPage(page, ({ created_us, ...row }) => ({ id: row.id, created_us, record: toDeletion(row) }));
    },

    /** Returns the deletion of a subject that is in scope and not completed, or null. */
    findUnfinished(scope: Scope, subjectId: string): Promise<{ id: string; status: Deletion['status'] } | null> {
      return queryOne(
        database,
        `select id, status from deletions
         where workspace_id = :workspaceId and subject_id = :subjectId and status <> 'completed'
           and (:collectionIds::uuid[] is null or collection_id = any(:collectionIds::uuid[]))
         order by id desc limit 1`,
        { ...scope, subjectId },
      );
    },

    /** Returns the collections in which a content is being deleted. */
    findLinks(scope: Scope, contentId: string): Promise<IndexedLink[]> {
      return query<IndexedLink>(
        database,
        `select cc.collection_id, cc.version, g.tenant, g.provider, g.model, g.model_hash, g.dimensions
         from content_collections cc join index_generations g on g.collection_id = cc.collection_id
         where cc.workspace_id = :workspaceId and cc.content_id = :contentId and cc.stage = 'deleting'`,
        { workspaceId: scope.workspaceId, contentId },
      );
    },

    /** Adds to the counts of a receipt. */
    async addCounts(scope: Scope, id: string, removed: Partial<DeletionCounts>): Promise<void> {
      await query(
        database,
        `update deletions set status = 'running', chunks = chunks + :chunks::int,
           index_objects = index_objects + :indexObjects::int, ${ADD_CONTENTS}
         where id = :id and workspace_id = :workspaceId and status <> 'completed'`,
        { workspaceId: scope.workspaceId, id, ...NO_COUNTS, ...removed },
      );
    },

    /**
     * Removes the last rows of a content and completes the receipt, in one transaction. The content itself is deleted when no
     * collection links it any more. Returns whether it moved to another home collection and has another `external_id` there.
     */
    complete(scope: Scope, id: string, contentId: string): Promise<boolean> {
      return database.transaction(async (transaction) => {
        const { workspaceId } = scope;
        await lockRuns(transaction, workspaceId, [contentId]);
        const ended = await deleteRemovedLinks(transaction, { workspaceId, contentId });
        await lockContents(transaction, workspaceId, [contentId]);
        const unlinked = await countUnlinked(transaction, workspaceId, ended);
        await removeCrawledContent(transaction, { workspaceId, contentId });
        const gone = await deleteUnlinkedContent(transaction, { workspaceId, contentId });
        const isRenamed = await moveToAnotherHome(transaction, { workspaceId, contentId });
        await settleRemoved(transaction, { workspaceId, ended, renamed: isRenamed ? [contentId] : [] });
        const blobs = await countUnreferencedBlobs(transaction, workspaceId, gone);
        await query(
          transaction,
          `update deletions set status = 'completed', ${ADD_CONTENTS}, verified_at = now(), completed_at = now()
           where id = :id and workspace_id = :workspaceId and status <> 'completed'`,
          { workspaceId, id, contents: gone.length, blobs, ...unlinked },
        );
        // After the receipt is complete: archive entries that are still being deleted are left to deletions that are open.
        await detachEntries(transaction, { workspaceId, gone });
        return isRenamed;
      });
    },
  };
}

export type DeletionStore = ReturnType<typeof createDeletionStore>;

/** Converts a row to the record of the API. */
export function toDeletion(row: ReceiptRow): Deletion {
  const { contents, chunks, index_objects, blobs, collections, conversations, messages, memories, ...rest } = row;
  return {
    ...rest,
    workflow_id: deletionWorkflowId(row.kind, row.id),
    removed: { contents, chunks, index_objects, blobs, collections, conversations, messages, memories },
    verified_at: row.verified_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}

type ContentKey = { workspaceId: string; contentId: string };

function deleteRemovedLinks(transaction: Database, key: ContentKey): Promise<EndedRun[]> {
  return query<EndedRun>(
    transaction,
    // A link whose collection began to be deleted meanwhile still has chunks; the deletion of the collection removes it.
    `delete from content_collections cc
     where workspace_id = :workspaceId and content_id = :contentId and stage = 'deleting'
       and not exists (select 1 from chunks ch where ch.content_id = cc.content_id and ch.collection_id = cc.collection_id)
     returning cc.content_id, cc.filters_outdated as was_outdated`,
    key,
  );
}

/** Deletes the content unless a collection still links it. */
function deleteUnlinkedContent(transaction: Database, key: ContentKey): Promise<DeletedContent[]> {
  return query<DeletedContent>(
    transaction,
    `delete from contents t where t.id = :contentId and t.workspace_id = :workspaceId
       and not exists (select 1 from content_collections cc where cc.content_id = t.id)
     returning t.id, t.part_of, t.content_hash`,
    key,
  );
}

/** Moves a content that lost its home collection to its oldest other one. Returns whether its `external_id` differs there. */
async function moveToAnotherHome(transaction: Database, key: ContentKey): Promise<boolean> {
  const moved = await queryOne<{ is_renamed: boolean }>(
    transaction,
    `update contents t set collection_id = cc.collection_id, external_id = cc.external_id, updated_at = now(),
       status = case when cc.paused then 'paused' else cc.stage end, status_message = cc.stage_message
     from content_collections cc where t.id = :contentId and t.workspace_id = :workspaceId and cc.content_id = t.id
       and cc.collection_id = (
         select collection_id from content_collections where content_id = t.id order by created_at, collection_id limit 1)
       and not exists (
         select 1 from content_collections home where home.content_id = t.id and home.collection_id = t.collection_id)
     returning old.external_id is distinct from new.external_id as is_renamed`,
    key,
  );
  return moved?.is_renamed === true;
}
