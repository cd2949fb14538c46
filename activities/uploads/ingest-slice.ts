import {
  NO_PROGRESS,
  type IngestSliceOutcome,
  type SliceOutcome,
  type StepOutcome,
} from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { StepContext } from '#activities/step.ts';
import { startTimeSlice } from '#activities/time-slice.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { ingestContents } from './ingest-contents.ts';
import { prepareIngestion } from './ingestion.ts';
import { summarizeEnded } from './plan-batches.ts';

/** Bounds how long the counter of the workspace, which every publication locks, waits for others. The first results come early. */
const PUBLISH_AFTER = { firstMs: 100, laterMs: 1_000 };

/** Ingests contents for one time slice: reads, splits, embeds, indexes and publishes them, and gives way to express work. */
export async function ingestSlice(
  services: WorkerServices,
  batch: Batch,
  step: StepContext,
): Promise<IngestSliceOutcome> {
  const pace = {
    lane: 'bulk',
    timeSlice: startTimeSlice(),
    maxReadMs: null,
    publishAfter: PUBLISH_AFTER,
  } as const;
  const ingestion = await prepareIngestion(services, batch, { step, pace });
  const outcome = ingestion ? await ingestContents(ingestion) : NO_PROGRESS;
  return { ...outcome, ended: await summarizeEnded(services, batch, outcome) };
}

/** For workflows from before `ingestSlice`: leaves everything to `indexSlice`. */
export async function passToIndexing(_services: WorkerServices, batch: Batch): Promise<StepOutcome> {
  return { go_on: batch.content_ids, paused: [], more: [] };
}

/** For workflows from before `ingestSlice`: the same, with the result that they expect. */
export async function ingestIndexSlice(
  services: WorkerServices,
  batch: Batch,
  step: StepContext,
): Promise<SliceOutcome> {
  const { more, chunks } = await ingestSlice(services, batch, step);
  return { done: more.length === 0, chunks };
}
