import type { ErrorCode } from '#domain/app-error.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { UploadError } from '#domain/records/upload.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { notDeleting } from '#store/collections/not-deleting.ts';
import { pageOf, type Page } from '#store/page.ts';
import { query, queryOne, type Database, type PreparedStatement } from '#store/postgres.ts';

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
  sql: `select case when cc.paused then 'paused' else cc.stage end as status, count(*) as count,
      sum(cc.chunk_count)::bigint as chunks
    from uploads u
    join upload_contents uc on uc.upload_id = u.id
    join content_collections cc on cc.content_id = uc.content_id and cc.collection_id = u.collection_id
    where u.id = :id and u.workspace_id = :workspaceId group by 1`,
};

const LIST_MANIFEST: PreparedStatement = {
  name: 'list_upload_contents',
  sql: `select uc.content_id, t.name, case when cc.paused then 'paused' else cc.stage end as status, t.status_message,
      case when cc.stage = 'failed' and not cc.paused then cc.failure_code end as error_code,
      cc.chunk_count as chunks
    from uploads u
    join upload_contents uc on uc.upload_id = u.id join contents t on t.id = uc.content_id
    join content_collections cc on cc.content_id = uc.content_id and cc.collection_id = u.collection_id
    where u.id = :id and u.workspace_id = :workspaceId and (:after::uuid is null or uc.content_id > :after::uuid)
      and (:only::uuid[] is null or uc.content_id = any(:only::uuid[]))
    order by uc.content_id limit :limit`,
};

/** Uploads: the contents of one request, new or existing. Status and progress are derived from the runs of the contents. */
export function createUploadStore(database: Database) {
  return {
    async insert(scope: Scope, upload: NewUpload): Promise<void> {
      await query(
        database,
        `with added as (
           insert into uploads (id, workspace_id, collection_id, content_type, ingest, workflow_id, total_uploads,
             failed_uploads, errors, created_by)
           values (:id, :workspaceId, :collectionId, :contentType, :ingest, :workflowId, :total,
             :failed, :errors::jsonb, :createdBy))
         insert into upload_contents (upload_id, content_id, workspace_id)
         select distinct :id::uuid, content_id, :workspaceId::uuid from unnest(:contentIds::uuid[]) as x(content_id)`,
        {
          ...upload,
          workspaceId: scope.workspaceId,
          failed: upload.errors.length,
          errors: JSON.stringify(upload.errors),
        },
      );
    },

    /** Locks the upload, so that runs of it that end at the same time finish one after the other. */
    async lock(scope: Scope, id: string): Promise<void> {
      await query(database, `select from uploads where id = :id and workspace_id = :workspaceId for update`, {
        workspaceId: scope.workspaceId,
        id,
      });
    },

    /** Adds contents that were found during ingestion: pages of a crawl, or archive entries. */
    async addContents(scope: Scope, id: string, contentIds: readonly string[]): Promise<void> {
      await query(
        database,
        `insert into upload_contents (upload_id, content_id, workspace_id)
         select :id::uuid, content_id, :workspaceId::uuid from unnest(:contentIds::uuid[]) as x(content_id)
         on conflict do nothing`,
        { workspaceId: scope.workspaceId, id, contentIds },
      );
    },

    /** Returns an upload whose collection the scope reaches, or null. */
    find(scope: Scope, id: string): Promise<UploadRow | null> {
      return queryOne<UploadRow>(database, FIND_UPLOAD, { ...scope, id });
    },

    /** Counts the contents of an upload by status, and their published chunks. Deleted contents no longer count. */
    async progress(
      scope: Scope,
      id: string,
    ): Promise<{ byStatus: Partial<Record<ContentStatus, number>>; chunks: number }> {
      const rows = await query<{ status: ContentStatus; count: number; chunks: number }>(database, COUNT_CONTENTS, {
        workspaceId: scope.workspaceId,
        id,
      });
      return {
        byStatus: Object.fromEntries(rows.map((row) => [row.status, row.count])),
        chunks: rows.reduce((sum, row) => sum + row.chunks, 0),
      };
    },

    /** Returns a page of the contents in id order, restricted to `only` when given. */
    async manifest(
      scope: Scope,
      id: string,
      page: { after: string | null; limit: number; only?: readonly string[] },
    ): Promise<Page<ManifestRow>> {
      const rows = await query<ManifestRow>(database, LIST_MANIFEST, {
        workspaceId: scope.workspaceId,
        id,
        after: page.after,
        limit: page.limit + 1,
        only: page.only,
      });
      return pageOf(rows, page.limit);
    },
  };
}

export type UploadStore = ReturnType<typeof createUploadStore>;
