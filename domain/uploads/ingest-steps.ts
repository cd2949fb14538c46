import type { ErrorCode } from '#domain/app-error.ts';
import type { BatchOutcome, BatchPlan, PublishOutcome, SliceOutcome, StepOutcome } from './ingest-outcomes.ts';
import type { ControlAction, RunKey } from './ingest-jobs.ts';

/**
 * The steps that workflows call by name; `activities/` implements them. Histories hold these arguments and results, so
 * a change must still read the old ones. Imported by workflows: no zod, no I/O.
 */

/** Contents of one run. */
export type Batch = RunKey & { content_ids: string[] };

export type UploadKey = { workspace_id: string; collection_id: string; upload_id: string };

export type UpkeepSteps = {
  /** The next batches of a run, in content order. */
  planBatches(plan: RunKey & { after: string | null }): Promise<BatchPlan>;
  /** Pauses, resumes or cancels an upload as an operator asked in the Temporal UI. */
  controlUpload(control: UploadKey & { action: ControlAction }): Promise<void>;
  /** Ends what is left of these contents as failed; infrastructure did not let them finish. */
  failContents(failure: Batch & { code: ErrorCode; message: string }): Promise<void>;
  /** What became of the contents of a batch. */
  summarizeBatch(batch: Batch): Promise<BatchOutcome>;
  /** Takes the work off the outbox; contents of the run that are under way without a workflow end as failed. */
  settleRun(run: RunKey & { outbox_id: string }): Promise<void>;
  /** Removes what came out of a content and is being deleted, some at a time; true when none is left. */
  removeParts(deletion: DeletionKey): Promise<boolean>;
  /** Removes chunks of a content, some at a time; true when none is left. */
  removeChunks(deletion: DeletionKey): Promise<boolean>;
  removeFromIndex(deletion: DeletionKey): Promise<void>;
  /** Verifies that nothing is left and completes the receipt; false when something was found. */
  completeDeletion(deletion: DeletionKey & { outbox_id: string }): Promise<boolean>;
  /** The work of this outbox row is done. */
  settleOutbox(work: { workspace_id: string; outbox_id: string }): Promise<void>;
};

export type DeletionKey = { workspace_id: string; collection_id: string; content_id: string; deletion_id: string };

export type DownloadSteps = {
  downloadContents(batch: Batch): Promise<StepOutcome>;
};

export type IngestSteps = {
  /** Reads and splits: chunk rows are written, nothing is searchable yet. */
  readContents(batch: Batch): Promise<StepOutcome>;
};

/** The last chunk that is done; `stamp` tells what was written, and is absent in histories of before it was noted. */
export type ReprojectCursor = { content_id: string; chunk_index: number; stamp?: string };
export type ReprojectSlice = {
  workspace_id: string;
  collection_id: string;
  content_ids: string[];
  after: ReprojectCursor | null;
};

export type IndexSteps = {
  /** Embeds and indexes for at most half a minute; progress is kept in Postgres. */
  indexSlice(batch: Batch): Promise<SliceOutcome>;
  /** Publishes what is indexed whole. */
  publishContents(batch: Batch): Promise<PublishOutcome>;
  /** Brings changed metadata of published contents into the index, for half a minute; where to go on, null at the end. */
  reprojectContents(contents: ReprojectSlice): Promise<ReprojectCursor | null>;
};
