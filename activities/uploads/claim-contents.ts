import { collectionScope } from '#domain/access/scope.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import type { StageStep } from '#store/uploads/run-stages.ts';
import type { OwnedContent } from '#store/contents/contents.ts';
import { runContentsOf } from '#activities/step.ts';
import type { WorkerServices } from '#activities/worker-services.ts';
import { hasOtherAttempt } from './enter-attempt.ts';
import { failContents } from './fail-contents.ts';

/** Attempts that may end with a dead worker. After that many, the content fails instead of being tried again. */
const MAX_DEAD_ATTEMPTS = 2;

/**
 * Moves contents into a stage. A content that was being processed when two workers died fails alone, so that it cannot take down
 * the other contents again and again.
 */
export async function claimContents(
  services: WorkerServices,
  batch: Batch,
  step: StageStep & { contentIds: readonly string[] },
): Promise<{ owned: OwnedContent[]; paused: string[]; further: string[] }> {
  const { runs } = services.stores;
  // In the statement that counts: several attempts that go on at once would see what others have counted and not yet taken back.
  const alive = step.contentIds.filter((id) => hasOtherAttempt(batch, id));
  const scope = collectionScope(batch);
  const claim = await runs.begin(scope, runContentsOf(batch, step.contentIds), { ...step, alive });
  const { owned, paused, further } = claim;
  const isDangerous = (content: OwnedContent) => content.dead_attempts > MAX_DEAD_ATTEMPTS;
  const failures = owned.filter(isDangerous).map((content) => ({
    content_id: content.content_id,
    code: 'repeated_crash' as const,
    message: `The worker died twice while ${step.stage} this content. Check the file; retry to try again.`,
  }));
  await failContents(services, batch, failures);
  return { owned: owned.filter((content) => !isDangerous(content)), paused, further };
}
