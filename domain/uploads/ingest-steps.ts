import type { ErrorCode } from '#domain/app-error.ts';
import type {
  BatchOutcome,
  BatchPlan,
  ExpressOutcome,
  IngestSliceOutcome,
  PublishOutcome,
  SliceOutcome,
  StepOutcome,
} from './batch-outcome.ts';
import type { ControlAction, RunKey } from './ingest-jobs.ts';

/**
 * The activities that workflows call by name, implemented in `activities/`. Histories contain their arguments and results, so
 * changed code must still accept the old ones. Imported by workflows: no zod, no I/O.
 */

/** Contents of a run that are processed together. */
export type Batch = RunKey & { content_ids: string[] };

/**
 * A page of the contents of a run to plan. `heeds_at_once`: the workflow obeys `at_once` of the plan. Those from before it existed
 * start four batches at a time, and their histories must not tell the next worker otherwise.
 */
export type PlanRequest = RunKey & { after: string | null; heeds_at_once?: boolean };

export type UploadKey = { workspace_id: string; collection_id: string; upload_id: string };

export type UpkeepSteps = {
  /** Plans the next batches of a run, in content order. */
  planBatches(plan: PlanRequest): Promise<BatchPlan>;
  /** Pauses, resumes or cancels an upload for an operator who sent the signal in the Temporal UI. */
  controlUpload(control: UploadKey & { action: ControlAction }): Promise<void>;
  /** Marks the unfinished contents as failed. */
  failContents(failure: Batch & { code: ErrorCode; message: string }): Promise<void>;
  /** Counts the results of a batch. */
  summarizeBatch(batch: Batch): Promise<BatchOutcome>;
  /** Completes the outbox row of a run. Contents of the run that still count as in progress fail. */
  settleRun(run: RunKey & { outbox_id: string }): Promise<void>;
  /** Removes archive entries that are being deleted, for one time slice. Returns true when none is left. */
  removeParts(deletion: DeletionKey): Promise<boolean>;
  /** Removes chunks of a content, for one time slice. Returns true when none is left. */
  removeChunks(deletion: DeletionKey): Promise<boolean>;
  removeFromIndex(deletion: DeletionKey): Promise<void>;
  /** Verifies that nothing is left and completes the receipt. Returns false when something was found. */
  completeDeletion(deletion: DeletionKey & { outbox_id: string }): Promise<boolean>;
  /** Completes an outbox row. */
  settleOutbox(work: { workspace_id: string; outbox_id: string }): Promise<void>;
};

/** Short steps that can be repeated at any time. Workflows run them beside their own task, without an activity of the server. */
export type LocalSteps = Pick<UpkeepSteps, 'planBatches' | 'settleRun'>;

export type DeletionKey = { workspace_id: string; collection_id: string; content_id: string; deletion_id: string };

export type DownloadSteps = {
  downloadContents(batch: Batch): Promise<StepOutcome>;
};

export type IngestSteps = {
  /** Reads, splits, embeds, indexes and publishes contents for one time slice. Progress is kept in Postgres. */
  ingestSlice(batch: Batch): Promise<IngestSliceOutcome>;
  /** For workflows from before `ingestSlice`: does nothing, because their `indexSlice` does what `ingestSlice` does. */
  readContents(batch: Batch): Promise<StepOutcome>;
};

export type ExpressSteps = {
  /**
   * Ingests the contents of a small upload at once and completes its outbox row. What takes too long is left to the ordinary way
   * (`is_complete`: false).
   */
  ingestExpress(batch: Batch & { outbox_id: string }): Promise<ExpressOutcome>;
};

/** The last chunk written. `stamp`: a hash of the facets written; absent in older histories. */
export type ReprojectCursor = { content_id: string; chunk_index: number; stamp?: string };
export type ReprojectSlice = {
  workspace_id: string;
  collection_id: string;
  content_ids: string[];
  after: ReprojectCursor | null;
};

export type IndexSteps = {
  /** For workflows from before `ingestSlice`: the same, with another result. */
  indexSlice(batch: Batch): Promise<SliceOutcome>;
  /** For workflows from before `ingestSlice`: returns what is left to do for published and paused contents. */
  publishContents(batch: Batch): Promise<PublishOutcome>;
  /** Writes changed metadata of published contents to the index, for one time slice. Returns the cursor, or null at the end. */
  reprojectContents(contents: ReprojectSlice): Promise<ReprojectCursor | null>;
};
