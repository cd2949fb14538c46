import { deletionWorkflowId } from '#domain/deletion-kinds.ts';
import type { JobStart } from '#domain/jobs.ts';
import { TASK_QUEUES } from '#domain/task-queues.ts';

/**
 * Names, ids and arguments of the workflows of contents. Imported by workflows: no zod, no I/O.
 * Every workflow id contains the id of its run, so that starting a workflow twice has no effect.
 */

/** Identifies a run: a workspace, a collection and the run in it. */
export type RunKey = { workspace_id: string; collection_id: string; run_id: string };

/** `upload_id` is also the id of the run of the upload. */
export type IngestUploadArgs = {
  workspace_id: string;
  collection_id: string;
  upload_id: string;
  contents: number;
  /** The contents of a small upload, which is ingested the express way; absent for all others. */
  express?: string[];
};

/** Names of what is ingested, for the lists of the Temporal UI. `more`: how many contents there are besides the first. */
export type IngestLabel = { collection: string; first: string; more: number };

/** `outbox_id`: the workflow id whose outbox row this batch completes; null for a child workflow. */
export type IngestBatchArgs = RunKey & {
  content_ids: string[];
  upload_id: string | null;
  /** True when some of the contents may have to be downloaded first. */
  downloads: boolean;
  outbox_id: string | null;
};

export type ReprojectArgs = { workspace_id: string; collection_id: string; content_ids: string[]; run_id: string };

export type DeleteContentArgs = {
  workspace_id: string;
  collection_id: string;
  content_id: string;
  deletion_id: string;
};

export const uploadWorkflowId = (uploadId: string) => `ingest-upload/${uploadId}`;
export const batchWorkflowId = (runId: string, number?: number) =>
  number === undefined ? `ingest-batch/${runId}` : `ingest-batch/${runId}/${number}`;

/** Ingests all contents of an upload. */
export function ingestUploadJob(args: IngestUploadArgs, label: IngestLabel): JobStart {
  return {
    workflow_type: 'ingestUploadV2',
    workflow_id: uploadWorkflowId(args.upload_id),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: summaryOf(label),
    memo: { collection: shorten(label.collection), first_content: shorten(label.first) },
  };
}

/**
 * Ingests a few contents again: after a retry, or when chunks are created later. `downloads`: false for contents whose stored bytes are
 * ingested, even if they come from a URL.
 */
export function ingestBatchJob(
  run: RunKey & { content_ids: string[]; upload_id: string | null; downloads?: boolean },
): JobStart {
  const workflowId = batchWorkflowId(run.run_id);
  const args: IngestBatchArgs = { ...run, downloads: run.downloads ?? true, outbox_id: workflowId };
  return {
    workflow_type: 'ingestBatchV2',
    workflow_id: workflowId,
    workspace_id: run.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Ingest ${count(run.content_ids.length, 'content')} of collection ${run.collection_id}`,
  };
}

/** Ingests entries of an archive or e-mail. `upload_id`: the upload that is complete only after them, if there is one. */
export function unpackedBatchJob(
  run: RunKey & { content_ids: string[]; upload_id: string | null },
  archiveId: string,
): JobStart {
  const workflowId = batchWorkflowId(run.run_id);
  const args: IngestBatchArgs = { ...run, downloads: false, outbox_id: workflowId };
  const summary = `Ingest ${count(run.content_ids.length, 'content')} unpacked from content ${archiveId}`;
  return { ...ingestBatchJob(run), args, summary };
}

/** Writes changed metadata to the index, without embedding again. */
export function reprojectJob(args: ReprojectArgs): JobStart {
  return {
    workflow_type: 'reprojectContents',
    workflow_id: `reproject/${args.run_id}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Update the filters of ${count(args.content_ids.length, 'content')} in the index`,
  };
}

/** Deletes the entries that an archive or e-mail no longer contains. There is no receipt. */
export function deletePartsJob(args: DeleteContentArgs): JobStart {
  return {
    workflow_type: 'deleteParts',
    workflow_id: `delete-parts/${args.deletion_id}`,
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Delete entries that content ${args.content_id} no longer contains`,
  };
}

/** Deletes a content from the index and the database, and completes the receipt. */
export function deleteContentJob(args: DeleteContentArgs): JobStart {
  return {
    workflow_type: 'deleteContent',
    workflow_id: deletionWorkflowId('content', args.deletion_id),
    workspace_id: args.workspace_id,
    task_queue: TASK_QUEUES.workflows,
    args,
    summary: `Delete content ${args.content_id}`,
  };
}

const MAX_NAME_CHARACTERS = 80;

/** `Ingest report.pdf and 134 more into Contracts` */
function summaryOf({ collection, first, more }: IngestLabel): string {
  const rest = more > 0 ? ` and ${more} more` : '';
  return `Ingest ${shorten(first)}${rest} into ${shorten(collection)}`;
}

function shorten(name: string): string {
  const characters = Array.from(name);
  return characters.length <= MAX_NAME_CHARACTERS ? name : `${characters.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** What users and operators can do to work in progress. */
export type ControlAction = 'pause' | 'resume' | 'cancel';
