import { z } from 'zod';
import { AppError } from '#domain/app-error.ts';
import type { Caller } from '#domain/access/caller.ts';
import { decodePosition } from '#domain/cursor.ts';
import type { UploadProgress } from '#domain/records/upload.ts';
import type { Scope } from '#domain/access/scope.ts';
import type { Stores } from '#store/stores.ts';
import type { UploadRow } from '#store/uploads/uploads.ts';
import type { ContentStatus } from '#domain/statuses.ts';
import { paginate } from '#operations/paginate.ts';
import type { Services } from '#operations/services.ts';
import { deriveUploadState, type UploadState } from './derive-upload-state.ts';

export type GetUploadQuery = {
  uploadId: string;
  limit: number;
  content_status?: ContentStatus | undefined;
  cursor?: string | undefined;
};

/**
 * Returns the progress of an upload and a page of its manifest. @throws AppError `not_found`; `validation_failed` for a cursor of
 * another list.
 */
export async function getUpload(services: Services, caller: Caller, query: GetUploadQuery): Promise<UploadProgress> {
  const { scope } = caller;
  const { stores } = services;
  const { uploads } = stores;
  const binding = { list: 'upload-contents', filters: { upload: query.uploadId, status: query.content_status } };
  const [after] = decodePosition(binding, query.cursor, z.tuple([z.uuid()])) ?? [null];
  const upload = await uploads.find(scope, query.uploadId);
  if (!upload) throw uploadNotFound();
  // Sequential, because this may run in a transaction, which has one connection.
  const { status, progress, crawls } = await uploadState(stores, scope, upload);
  const rows = await uploads.manifest(scope, upload.id, { after, limit: query.limit, status: query.content_status });
  const { page, next } = paginate(rows, { binding, positionOf: (row) => [row.content_id] });
  return {
    id: upload.id,
    collection_id: upload.collection_id,
    workspace_id: upload.workspace_id,
    status,
    content_type: upload.content_type,
    workflow_id: upload.workflow_id,
    total_uploads: upload.total_uploads,
    successful_uploads: upload.total_uploads - upload.failed_uploads,
    failed_uploads: upload.failed_uploads,
    progress,
    crawls,
    errors: upload.errors,
    contents: page,
    ...next,
    created_at: upload.created_at.toISOString(),
    updated_at: upload.updated_at.toISOString(),
  };
}

/** Reads the status and progress of an upload. */
export async function uploadState(stores: Stores, scope: Scope, upload: UploadRow): Promise<UploadState> {
  const counts = await stores.uploads.progress(scope, upload.id);
  return deriveUploadState(upload, counts, await stores.crawls.list(scope, [upload.id]));
}

export function uploadNotFound(): AppError {
  return new AppError('not_found', 'There is no such upload, or this key does not reach its collection.');
}
