import type { Embedder } from '#domain/embedder.ts';
import { chunkLimitsFor } from '#domain/chunking/chunk-limits.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { WorkLane } from '#domain/work-share.ts';
import type { SplitPlan } from '#providers/readers/reader-pool.ts';
import type { NumberedGeneration } from '#store/collections/generations.ts';
import { collectionScope } from '#domain/access/scope.ts';
import type { StepContext } from '#activities/step.ts';
import type { TimeSlice } from '#activities/time-slice.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { failWithoutEmbedder } from './fail-contents.ts';
import { openNextIndex, type NextIndex } from './next-index.ts';
import type { Waits } from './periodic-batch.ts';

/** How fast a batch is ingested, and at whose expense. */
export type IngestPace = {
  lane: WorkLane;
  /** When it is over, no further document is started and the rest is left to the next step. */
  timeSlice: TimeSlice;
  /** Documents that take longer to read are left to the next step; null: they are waited for. */
  maxReadMs: number | null;
  /** Contents that become searchable within this time are published together. */
  publishAfter: Waits;
};

/** A batch of contents that one activity ingests, with everything that is the same for all of them. */
export type Ingestion = {
  services: WorkerServices;
  batch: Batch;
  step: StepContext;
  pace: IngestPace;
  embedder: Embedder;
  index: NumberedGeneration;
  /** Null unless the embedder of the collection is being changed. */
  next: NextIndex | null;
  plan: SplitPlan;
};

/** Prepares the ingestion of a batch. Null when the embedder of its collection is not configured here: then its contents fail. */
export async function prepareIngestion(
  services: WorkerServices,
  batch: Batch,
  { step, pace }: { step: StepContext; pace: IngestPace },
): Promise<Ingestion | null> {
  const generations = await services.stores.generations.list(collectionScope(batch), batch.collection_id);
  const index = generations.find(({ status }) => status === 'active');
  const embedder = index && services.embedders.forSpace(index.space);
  if (!index || !embedder) {
    await failWithoutEmbedder(services, batch, index?.space);
    return null;
  }
  await services.vectors.ensureTenantOnce(index.space, index.tenant);
  const building = generations.find(({ status }) => status === 'building');
  const next = building ? await openNextIndex(services, batch, building) : null;
  const plan = { limits: chunkLimitsFor(embedder.maxTokens), counting: embedder.tokenCounting };
  return { services, batch, step, pace, embedder, index, next, plan };
}

/** On whose behalf an ingestion uses the readers and the embedder. */
export function workShareOf({ batch, pace }: Ingestion) {
  return { lane: pace.lane, share: batch.workspace_id };
}
