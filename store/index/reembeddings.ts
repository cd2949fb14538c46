import type { Reembedding } from '#domain/records/reindexing.ts';
import { reembedWorkflowId, type ReembedProgress } from '#domain/index/reembed-job.ts';
import type { EmbeddingSpace } from '#domain/embedder.ts';
import type { ReembeddingStatus } from '#domain/statuses.ts';
import { reachedOf, type Scope } from '#domain/access/scope.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { queryNewestRows, type Listed, type ListPart, type NewestPage } from '#store/newest-rows.ts';
import { mapPage, type Page } from '#store/page.ts';
import { query, queryOne, type Database } from '#store/postgres.ts';

const TIMES = ['created_at', 'updated_at', 'switched_at', 'completed_at'] as const;
type Row = Omit<Reembedding, 'workflow_id' | (typeof TIMES)[number]> & {
  created_at: Date;
  updated_at: Date;
  switched_at: Date | null;
  completed_at: Date | null;
};

/** A re-embedding as its activities see it. */
export type ReembeddingState = ReembedProgress & { generation: number };
type NewReembedding = {
  collectionId: string;
  from: EmbeddingSpace;
  to: EmbeddingSpace;
  createdBy: string;
  /** Of a re-embedding without work, the number of the active generation. */
  generation: number;
  /** Why nothing is to do; null when there is work. */
  nothingToDo: string | null;
};

const COLUMNS = `id, workspace_id, collection_id, status, status_message, from_space as "from", to_space as "to", total_contents,
  contents, chunks, created_at, updated_at, switched_at, completed_at`;
const ENDED = `('completed', 'cancelled', 'failed')`;
const OF_COLLECTION = 'workspace_id = :workspaceId and collection_id = :collectionId';
const IN_SCOPE = `${OF_COLLECTION} and (:collectionIds::uuid[] is null or collection_id = any(:collectionIds::uuid[]))`;

const STATUSES = 'unnest(:statuses::text[]) s(status)';
const OF_WORKSPACE: ListPart = {
  from: STATUSES,
  where: `r.workspace_id = :workspaceId and r.status = s.status and ${notDeleting('r.collection_id')}`,
};
const OF_COLLECTIONS: ListPart = {
  from: `${STATUSES} cross join unnest(:collections::uuid[]) c(id)`,
  where: `r.collection_id = c.id and ${OF_WORKSPACE.where}`,
};

/** Changes of the embedders of collections. */
export function createReembeddings(database: Database) {
  return {
    /** Returns the re-embedding of a collection that is in progress, or else the latest one. */
    async find(scope: Scope, collectionId: string): Promise<Reembedding | null> {
      const row = await queryOne<Row>(
        database,
        `select ${COLUMNS} from reembeddings where ${IN_SCOPE} order by created_at desc, id desc limit 1`,
        { ...scope, collectionId },
      );
      return row && toReembedding(row);
    },

    /** Returns a page of those of all collections in scope, or of one, newest first. */
    async list(
      scope: Scope,
      request: { collectionId: string | undefined; statuses: readonly ReembeddingStatus[]; page: NewestPage },
    ): Promise<Page<Listed<Reembedding>>> {
      const { collectionId, ...rest } = request;
      const collections = reachedOf(scope, collectionId);
      const parts = [collections === null ? OF_WORKSPACE : OF_COLLECTIONS];
      const list = { table: 'reembeddings', columns: COLUMNS, texts: ['r.status_message'], parts };
      const bindings = { workspaceId: scope.workspaceId, collections, ...rest };
      const page = await queryNewestRows<Row>(database, list, bindings);
      return mapPage(page, ({ created_us, ...row }) => ({ id: row.id, created_us, record: toReembedding(row) }));
    },

    /** Like `find`, and locks the row until the transaction ends. */
    async lock(scope: Scope, collectionId: string): Promise<Reembedding | null> {
      const row = await queryOne<Row>(
        database,
        `select ${COLUMNS} from reembeddings where ${IN_SCOPE} order by created_at desc, id desc limit 1 for update`,
        { ...scope, collectionId },
      );
      return row && toReembedding(row);
    },

    /** Returns a number that no generation of the collection has had. The caller holds the lock of the collection. */
    async nextGeneration(scope: Scope, collectionId: string): Promise<number> {
      const row = await queryOne<{ number: number }>(
        database,
        `select 1 + greatest(
           (select coalesce(max(number), 0) from index_generations where ${OF_COLLECTION}),
           (select coalesce(max(generation), 0) from reembeddings where ${OF_COLLECTION})) as number`,
        { workspaceId: scope.workspaceId, collectionId },
      );
      return row?.number ?? 1;
    },

    /** Inserts a re-embedding, one without work as completed; null when one is in progress. */
    async insert(scope: Scope, { from, to, ...record }: NewReembedding): Promise<Reembedding | null> {
      const row = await queryOne<Row>(
        database,
        `insert into reembeddings (workspace_id, collection_id, generation, from_space, to_space, created_by, status,
           status_message, completed_at)
         values (:workspaceId, :collectionId, :generation, :from::jsonb, :to::jsonb, :createdBy,
           case when :nothingToDo::text is null then 'pending' else 'completed' end, :nothingToDo::text,
           case when :nothingToDo::text is null then null else now() end)
         on conflict (collection_id) where status not in ${ENDED} do nothing returning ${COLUMNS}`,
        { workspaceId: scope.workspaceId, ...record, from: JSON.stringify(from), to: JSON.stringify(to) },
      );
      return row && toReembedding(row);
    },

    /** Returns what an activity has to know; status `gone` when the collection is being deleted. */
    async state(scope: Scope, id: string): Promise<ReembeddingState> {
      const row = await queryOne<ReembeddingState>(
        database,
        `select r.status, r.contents, r.total_contents, r.chunks, r.generation
         from reembeddings r join collections c on c.id = r.collection_id and c.status <> 'deleting'
         where r.id = :id and r.workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, id },
      );
      return row ?? { status: 'gone', contents: 0, total_contents: 0, chunks: 0, generation: 0 };
    },

    /** Changes the status if it is one of `from`, with a message; null removes it. False when it was another one. */
    async setStatus(
      scope: Scope,
      id: string,
      change: { from: readonly ReembeddingStatus[]; to: ReembeddingStatus; message: string | null },
    ): Promise<boolean> {
      const row = await queryOne(
        database,
        `update reembeddings set status = :to, status_message = :message, updated_at = now(),
           switched_at = case when :to = 'switched' then now() else switched_at end,
           completed_at = case when :to in ${ENDED} then now() else completed_at end
         where id = :id and workspace_id = :workspaceId and status = any(:from::text[]) returning id`,
        { workspaceId: scope.workspaceId, id, ...change },
      );
      return row !== null;
    },

    /** Counts the contents with chunks, and marks the re-embedding as building unless somebody has paused or cancelled it. */
    async begin(scope: Scope, id: string): Promise<void> {
      await query(
        database,
        `update reembeddings r set updated_at = now(), status = 'building', disagreements = 0,
           total_contents = (select count(*) from content_collections cc where cc.workspace_id = :workspaceId
             and cc.collection_id = r.collection_id and cc.active_version is not null and cc.chunk_count > 0)
         where id = :id and workspace_id = :workspaceId and status = 'pending'`,
        { workspaceId: scope.workspaceId, id },
      );
    },

    /** Says what the work waits for. The next progress removes the message. What says why it was stopped is not replaced. */
    async showWaiting(scope: Scope, id: string, message: string): Promise<void> {
      await query(
        database,
        `update reembeddings set status_message = :message, updated_at = now()
         where id = :id and workspace_id = :workspaceId and status in ('pending', 'building', 'switched', 'cancelling')`,
        { workspaceId: scope.workspaceId, id, message },
      );
    },

    /** How often in a row the counts of rows and objects disagreed before this time; `false` starts again. */
    async countDisagreement(scope: Scope, id: string, disagrees: boolean): Promise<number> {
      const row = await queryOne<{ disagreements: number }>(
        database,
        `update reembeddings set disagreements = case when :disagrees::boolean then disagreements + 1 else 0 end
         where id = :id and workspace_id = :workspaceId returning disagreements`,
        { workspaceId: scope.workspaceId, id, disagrees },
      );
      return row?.disagreements ?? 0;
    },

    async setCounts(scope: Scope, id: string, contents: number): Promise<void> {
      await query(
        database,
        `update reembeddings set contents = :contents::bigint, total_contents = :contents::bigint
         where id = :id and workspace_id = :workspaceId`,
        { workspaceId: scope.workspaceId, id, contents },
      );
    },
  };
}

export type Reembeddings = ReturnType<typeof createReembeddings>;

function toReembedding(row: Row): Reembedding {
  // Only one without work completes without a switch.
  const hadWork = row.status !== 'completed' || row.switched_at !== null;
  return {
    ...row,
    workflow_id: hadWork ? reembedWorkflowId(row.id) : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    switched_at: row.switched_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
