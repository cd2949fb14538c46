import type { Batch } from '#domain/uploads/ingest-steps.ts';

/**
 * More attempts than a suspension piles up. Beyond, something makes every attempt hang, and the content has to fail in the end: those
 * that begin then count as after a death.
 */
const MAX_PILED_UP = 8;

/** How many attempts in this process are ingesting a content of a run. */
const attempts = new Map<string, number>();

/**
 * Notes that an attempt is ingesting the contents of a batch, until it is disposed of. A process that is suspended for longer than
 * the time limit of heartbeats has several attempts at the same contents when it goes on: none of them has died.
 */
export function enterAttempt(batch: Batch): Disposable {
  const keys = batch.content_ids.map((id) => keyOf(batch, id));
  for (const key of keys) attempts.set(key, (attempts.get(key) ?? 0) + 1);
  return {
    [Symbol.dispose]: () => {
      for (const key of keys) {
        const others = (attempts.get(key) ?? 1) - 1;
        if (others > 0) attempts.set(key, others);
        else attempts.delete(key);
      }
    },
  };
}

/** True when another attempt in this process is ingesting the content as well, besides the one that asks; false beyond `MAX_PILED_UP`. */
export function hasOtherAttempt(batch: Batch, contentId: string): boolean {
  const count = attempts.get(keyOf(batch, contentId)) ?? 0;
  return count > 1 && count <= MAX_PILED_UP;
}

function keyOf({ run_id: runId }: Batch, contentId: string): string {
  return `${runId} ${contentId}`;
}
