import type { UploadProgress, UploadResponse } from '#domain/records/upload.ts';
import type { UploadSummary } from '#domain/records/uploads/upload-list.ts';
import { EXAMPLE_HASH } from './content-examples.ts';
import { CREATED, exampleIds, UPDATED } from './example-ids.ts';
import type { OperationExample } from './operation-example.ts';

const rejected: UploadResponse['errors'][number] = {
  index: 1,
  name: 'notes.txt',
  external_id: 'notes-1',
  source: 'file',
  code: 'empty_file',
  message: 'The file is empty.',
};

const accepted: UploadResponse = {
  upload_id: exampleIds.upload,
  collection_id: exampleIds.collection,
  content_type: 'file',
  uploads: [
    {
      index: 0,
      content_id: exampleIds.content,
      name: 'handbook.pdf',
      external_id: 'handbook-7',
      source: 'file',
      type: 'application/pdf',
      size: 482_113,
      content_hash: EXAMPLE_HASH,
      status: 'pending',
      duplicate: false,
      replaced: false,
    },
  ],
  errors: [rejected],
  total_uploads: 2,
  successful_uploads: 1,
  failed_uploads: 1,
};

const progress: UploadProgress = {
  id: exampleIds.upload,
  collection_id: exampleIds.collection,
  workspace_id: exampleIds.workspace,
  status: 'completed_with_errors',
  content_type: 'file',
  workflow_id: `ingest-upload/${exampleIds.upload}`,
  total_uploads: 2,
  successful_uploads: 1,
  failed_uploads: 1,
  progress: { total: 1, settled: 1, by_status: { ready: 1 }, chunks: 12, percent: 100 },
  crawls: [],
  errors: [rejected],
  contents: [
    {
      content_id: exampleIds.content,
      name: 'handbook.pdf',
      status: 'ready',
      error_code: null,
      status_message: null,
      chunks: 12,
    },
  ],
  next_cursor: null,
  has_more: false,
  created_at: CREATED,
  updated_at: UPDATED,
};

/** Returns the progress while the content has this status. */
function progressAt(status: UploadProgress['status'], ofContent: 'paused' | 'pending' | 'cancelled'): UploadProgress {
  const settled = ofContent === 'cancelled' ? 1 : 0;
  const contents = progress.contents.map((content) => ({ ...content, status: ofContent, chunks: 0 }));
  const counts = { total: 1, settled, by_status: { [ofContent]: 1 }, chunks: 0, percent: 100 * settled };
  return { ...progress, status, contents, progress: counts };
}

function summaryOf({
  errors: _errors,
  contents: [first],
  crawls,
  next_cursor: _next,
  has_more: _more,
  ...upload
}: UploadProgress): UploadSummary {
  return { ...upload, name: first?.name ?? null, crawls: crawls.length };
}

/** Examples of the operations on uploads. The fields of the form have their examples in the schema. */
export const uploadExamples = {
  uploadContent: { response: accepted },
  listUploads: { response: { data: [summaryOf(progress)], next_cursor: null, has_more: false } },
  getUpload: { response: progress },
  pauseUpload: { response: progressAt('paused', 'paused') },
  resumeUpload: { response: progressAt('running', 'pending') },
  cancelUpload: { response: progressAt('cancelled', 'cancelled') },
} satisfies Record<string, OperationExample>;
