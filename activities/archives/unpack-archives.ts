import { AppError } from '#domain/app-error.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { deleteMissingEntries } from '#operations/archives/delete-missing-entries.ts';
import type { ContentFailure } from '#activities/uploads/claim.ts';
import { scopeOf, type StepContext } from '#activities/step.ts';
import { unpackParts, type WholeContent } from './unpack-parts.ts';
import type { WorkerServices } from '#activities/worker-services.ts';

/** `count`: null for a content of a kind that holds no others. */
type ReadContent = Omit<WholeContent, 'count'> & { count: number | null };

/**
 * Takes out what contents hold that were read. What takes longer than the slice is left for the next one; what cannot be unpacked fails.
 * One that once held something and no longer does loses it.
 */
export async function unpackArchives(
  services: WorkerServices,
  batch: Batch,
  reading: { wholes: readonly ReadContent[]; step: StepContext; deadlineMs: number },
): Promise<{ left: string[]; failures: ContentFailure[] }> {
  const { wholes, ...slice } = reading;
  const left: string[] = [];
  const failures: ContentFailure[] = [];
  for (const whole of wholes) {
    const { content, count } = whole;
    if (!count) continue;
    const end = await unpackParts(services, batch, { ...whole, count, ...slice });
    if (end === 'more') left.push(content.content_id);
    if (end instanceof AppError)
      failures.push({ content_id: content.content_id, code: end.code, message: end.message });
  }
  const emptied = wholes.filter(({ content, count }) => !count && content.version > 1);
  const ids = emptied.map(({ content }) => content.content_id);
  for (const id of await services.stores.parts.outdated(scopeOf(batch), batch.collection_id, ids))
    await deleteMissingEntries(services, batch, id);
  return { left, failures };
}
