import { NO_PROGRESS, type ExpressOutcome } from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { finishRun } from '#operations/uploads/finish-run.ts';
import type { StepContext } from '#activities/step.ts';
import { startTimeSlice } from '#activities/time-slice.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { ingestContents } from './ingest-contents.ts';
import { prepareIngestion } from './ingestion.ts';
import { summarizeEnded } from './plan-batches.ts';

/** A document that takes longer is no express work: the time of a slot belongs to others, too. */
const MAX_READ_MS = 4_000;

/**
 * Ingests a small upload in one go and completes its outbox row. Paused contents, and those that take too long, are left to the
 * ordinary way.
 */
export async function ingestExpress(
  services: WorkerServices,
  { outbox_id, ...batch }: Batch & { outbox_id: string },
  step: StepContext,
): Promise<ExpressOutcome> {
  const timeSlice = startTimeSlice(MAX_READ_MS);
  const pace = {
    lane: 'express',
    timeSlice,
    maxReadMs: MAX_READ_MS,
    publishAfter: { firstMs: 0, laterMs: 0 },
  } as const;
  const ingestion = await prepareIngestion(services, batch, { step, pace });
  const ingested = ingestion ? await ingestContents(ingestion) : NO_PROGRESS;
  const { more, paused, stale } = ingested;
  const outcome = await summarizeEnded(services, batch, ingested);
  const isComplete = more.length + paused.length + stale.length === 0;
  if (isComplete) await finishRun(services, { ...batch, outbox_id });
  return { outcome, is_complete: isComplete, stale };
}
