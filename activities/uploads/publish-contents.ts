import { collectionScope } from '#domain/access/scope.ts';
import { embedderName } from '#domain/embedder.ts';
import type { PublishOutcome } from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { CompleteContent } from '#store/uploads/publications.ts';
import { runContentsOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import type { Ingestion } from './ingestion.ts';
import { createPeriodicBatch } from './periodic-batch.ts';

/** Publishes contents as soon as they are in the index; those of the same second in one transaction. */
export type Publisher = {
  add(contents: readonly CompleteContent[]): void;
  /** Publishes the rest. Returns the published contents whose metadata changed during ingestion. */
  drain(): Promise<string[]>;
};

/** Creates the publisher of one activity. */
export function createPublisher({ services, batch, index, next, pace, step }: Ingestion): Publisher {
  const config = { chunker: 'structure', embedder: embedderName(index.space) };
  const stale: string[] = [];
  const publications = createPeriodicBatch<CompleteContent>(pace.publishAfter, async (contents) => {
    const run = { collectionId: batch.collection_id, runId: batch.run_id };
    const built = next && { number: next.number, contentIds: next.completeOf(contents) };
    const publication = { contents, config, tenant: index.tenant, epoch: index.epoch, built };
    const published = await services.stores.publications.publish(collectionScope(batch), run, publication);
    step.progress.ready += published.length;
    for (const content of published) {
      services.metrics.countContent('ready');
      if (content.stale) stale.push(content.content_id);
    }
  });
  return {
    add: (contents) => publications.add(...contents),
    drain: async () => {
      await publications.drain();
      return stale;
    },
  };
}

/** For workflows from before `ingestSlice`, whose contents are published already: returns what is left to do for them. */
export async function publishContents(services: WorkerServices, batch: Batch): Promise<PublishOutcome> {
  const scope = collectionScope(batch);
  const stages = await services.stores.runs.stagesOf(scope, runContentsOf(batch));
  const stale = await services.stores.publications.listStale(scope, batch.collection_id, batch.content_ids);
  return {
    published: stages.filter((content) => content.stage === 'ready').length,
    stale,
    paused: stages.filter((content) => content.paused).map((content) => content.content_id),
    resumed: stages
      .filter((content) => content.stage === 'indexing' && !content.paused)
      .map((content) => content.content_id),
  };
}
