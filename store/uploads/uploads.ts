import type { ErrorCode } from '#domain/app-error.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { UploadError } from '#domain/records/uploads/upload-item.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { pageOf, type Page } from '#store/page.ts';
import { ofCollection } from '#store/collections/of-collection.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';
import { IN_PROGRESS } from './change-runs.ts';
import { type ContentCounts, contentCounts, type StatusCount, sumCounts } from './upload-content-counts.ts';

export type UploadRow = {
  id: string;
  workspace_id: string;
  collection_id: string;
  content_type: 'file' | 'url' | 'text';
  ingest: boolean;
  workflow_id: string | null;
  total_uploads: number;
  failed_uploads: number;
  errors: UploadError[];
  created_at: Date;
  updated_at: Date;
};

export type NewUpload = {
  id: string;
  collectionId: string;
  contentType: string;
  ingest: boolean;
  workflowId: string | null;
  total: number;
  errors: readonly UploadError[];
  createdBy: string;
  contentIds: readonly string[];
  /** Keeps counts by status. For uploads of few contents, which get no more, counting those is cheaper. */
  isCounted: boolean;
};

export type ManifestRow = {
  content_id: string;
  name: string;
  status: ContentStatus;
  error_code: ErrorCode | null;
  status_message: string | null;
  chunks: number;
};

/** Prepared, as the two below: clients ask for the progress of an upload again and again. */
const FIND_UPLOAD: PreparedStatement = {
  name: 'find_upload',
  sql: `select id, workspace_id, collection_id, content_type, ingest, workflow_id, total_uploads, failed_uploads, errors,
      created_at, updated_at
    from uploads where id = :id and workspace_id = :workspaceId
      and (:collectionIds::uuid[] is null or collection_id = any(:collectionIds::uuid[]))
      and ${notDeleting('collection_id')}`,
};

const COUNT_CONTENTS: PreparedStatement = {
  name: 'count_upload_contents',
  sql: `select status, sum(contents)::bigint as count, sum(chunks)::bigint as chunks
    from (${contentCounts((id) => `${id} = :id`)}) parts group by status`,
};

const MANIFEST_COLUMNS = `uc.content_id, t.name, case when cc.paused then 'paused' else cc.stage end as status,
      case when cc.collection_id = t.collection_id then t.status_message else cc.stage_message end as status_message,
      case when cc.stage = 'failed' and not cc.paused then cc.failure_code end as error_code, cc.chunk_count as chunks`;
const COLLECTION = `(select collection_id from uploads where id = :id and workspace_id = :workspaceId)`;
const AFTER = `uc.content_id > coalesce(:after::uuid, '00000000-0000-0000-0000-000000000000')`;
const OF_STATUS = `case when cc.paused then 'paused' else cc.stage end = :status`;

const LIST_MANIFEST: PreparedStatement = {
  name: 'list_upload_contents',
  sql: `select ${MANIFEST_COLUMNS} from upload_contents uc
    cross join lateral (select * from content_collections cc where cc.content_id = uc.content_id
      and cc.collection_id = ${COLLECTION} offset 0) cc
    cross join lateral (select name, collection_id, status_message from contents where id = uc.content_id offset 0) t
    where uc.upload_id = :id and ${AFTER} and (:only::uuid[] is null or uc.content_id = any(:only::uuid[]))
      and (:status::text is null or ${OF_STATUS})
    order by uc.content_id limit :limit`,
};

/** Few contents of a collection have another status than `ready`, and these have an index. */
const LIST_OF_STATUS = `select ${MANIFEST_COLUMNS} from content_collections cc
    join upload_contents uc on uc.upload_id = :id and uc.content_id = cc.content_id
    cross join lateral (select name, collection_id, status_message from contents where id = uc.content_id offset 0) t
    where cc.collection_id = ${COLLECTION} and cc.bucket = content_bucket(:status = 'paused', :status) and ${OF_STATUS}
      and ${AFTER}
    order by uc.content_id limit :limit`;

/** Uploads: the contents of one request, new or existing. Status and progress are derived from the runs of the contents. */
export function createUploadStore(database: Database) {
  return {
    async insert(scope: Scope, upload: NewUpload): Promise<void> {
      await query(
        database,
        `with added as (
           insert into uploads (id, workspace_id, collection_id, content_type, ingest, workflow_id, total_uploads,
             failed_uploads, errors, created_by, is_counted)
           values (:id, :workspaceId, :collectionId, :contentType, :ingest, :workflowId, :total,
             :failed, :errors::jsonb, :createdBy, :isCounted)
         ), contents as (
           insert into upload_contents (upload_id, content_id, workspace_id, is_foreign)
           select distinct :id::uuid, x.content_id, :workspaceId::uuid, exists (
             select from content_collections cc where cc.content_id = x.content_id and ${ofCollection('cc')}
               and cc.upload_id is distinct from :id)
           from unnest(:contentIds::uuid[]) as x(content_id)
         )
         insert into upload_counts (upload_id, status, workspace_id, contents, chunks)
         select :id::uuid, part.status, :workspaceId, count(*), sum(part.chunks)
         from (select distinct unnest(:contentIds::uuid[]) as content_id) x
         join content_collections cc on cc.content_id = x.content_id and ${ofCollection('cc')}
         cross join lateral (values ('all', cc.chunk_count), (case when cc.paused then 'paused' else cc.stage end, 0))
           part(status, chunks)
         where cc.upload_id = :id and :isCounted::boolean group by 2`,
        {
          ...upload,
          workspaceId: scope.workspaceId,
          failed: upload.errors.length,
          errors: JSON.stringify(upload.errors),
        },
      );
    },

    /** Locks the upload, so that runs of it that end at the same time finish one after the other. Contents can still be added. */
    async lock(scope: Scope, id: string): Promise<void> {
      await query(database, `select from uploads where id = :id and workspace_id = :workspaceId for no key update`, {
        workspaceId: scope.workspaceId,
        id,
      });
    },

    /**
     * Notes which content in progress an upload waits for that has no work of its own left. Returns false when there is none. The
     * content cannot end before the transaction, so that its end finds the upload.
     */
    async awaitContent(scope: Scope, id: string): Promise<boolean> {
      const rows = await query(
        database,
        `with open as (
           select cc.content_id from uploads u join upload_contents uc on uc.upload_id = u.id
           join content_collections cc on cc.content_id = uc.content_id and cc.collection_id = u.collection_id
           where u.id = :id and u.workspace_id = :workspaceId and cc.stage in ${IN_PROGRESS} limit 1 for share of cc)
         update uploads u set awaited_content_id = open.content_id from open
         where u.id = :id and u.workspace_id = :workspaceId returning u.id`,
        { workspaceId: scope.workspaceId, id },
      );
      return rows.length > 0;
    },

    /**
     * Returns uploads into a collection that wait for a content which is not in progress any more, of the contents of an ended
     * run: those of its upload, or those that its job names. Requires its row in the outbox.
     */
    async listAwaitingEnded(
      scope: Scope,
      run: { collectionId: string; outboxId: string },
      limit: number,
    ): Promise<string[]> {
      const rows = await query<{ id: string }>(
        database,
        `select u.id from (
           select uc.content_id from outbox o join upload_contents uc on uc.upload_id = o.upload_id::uuid
           where o.workflow_id = :outboxId and o.workspace_id = :workspaceId
           union select named.id::uuid from outbox o, jsonb_array_elements_text(o.args -> 'content_ids') named(id)
           where o.workflow_id = :outboxId and o.workspace_id = :workspaceId) ended
         cross join lateral (select id from uploads where awaited_content_id = ended.content_id
           and workspace_id = :workspaceId and ${ofCollection('uploads')} offset 0) u
         where not exists (select from content_collections cc where cc.content_id = ended.content_id
           and ${ofCollection('cc')} and cc.stage in ${IN_PROGRESS} offset 0)
         order by u.id limit :limit`,
        { workspaceId: scope.workspaceId, ...run, limit },
      );
      return rows.map((row) => row.id);
    },

    /** Ends the wait of an upload, which the transaction then locks. Returns false when it does not wait any more. */
    async stopAwaiting(scope: Scope, id: string): Promise<boolean> {
      const rows = await query(
        database,
        `update uploads set awaited_content_id = null
         where id = :id and workspace_id = :workspaceId and awaited_content_id is not null returning id`,
        { workspaceId: scope.workspaceId, id },
      );
      return rows.length > 0;
    },

    /** Adds contents that were found during ingestion: pages of a crawl, or archive entries. */
    async addContents(scope: Scope, id: string, contentIds: readonly string[]): Promise<void> {
      await query(
        database,
        `insert into upload_contents (upload_id, content_id, workspace_id, is_foreign)
         select :id::uuid, x.content_id, :workspaceId::uuid, exists (
           select from content_collections cc where cc.content_id = x.content_id and cc.upload_id is distinct from :id
             and cc.collection_id = (select collection_id from uploads where id = :id))
         from unnest(:contentIds::uuid[]) as x(content_id)
         on conflict do nothing`,
        { workspaceId: scope.workspaceId, id, contentIds },
      );
    },

    /** Returns an upload whose collection the scope reaches, or null. */
    find(scope: Scope, id: string): Promise<UploadRow | null> {
      return queryOne<UploadRow>(database, FIND_UPLOAD, { ...scope, id });
    },

    /** Counts the contents of an upload by status, and their published chunks. Deleted contents no longer count. */
    async progress(scope: Scope, id: string): Promise<ContentCounts> {
      const bindings = { workspaceId: scope.workspaceId, id };
      const rows = await query<StatusCount>(database, COUNT_CONTENTS, bindings);
      return sumCounts(rows);
    },

    /** Returns a page of the contents in id order, restricted to `only` and to a status when given. */
    async manifest(
      scope: Scope,
      id: string,
      page: { after: string | null; limit: number; only?: readonly string[]; status?: ContentStatus | undefined },
    ): Promise<Page<ManifestRow>> {
      const { after, only, status } = page;
      const bindings = { workspaceId: scope.workspaceId, id, after, limit: page.limit + 1, status };
      const rows =
        status === undefined || status === 'ready'
          ? await query<ManifestRow>(database, LIST_MANIFEST, { ...bindings, only })
          : await query<ManifestRow>(database, LIST_OF_STATUS, bindings);
      return pageOf(rows, page.limit);
    },
  };
}

export type UploadStore = ReturnType<typeof createUploadStore>;
