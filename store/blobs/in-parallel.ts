import pLimit from 'p-limit';

/** Blobs of one call that are written, copied or deleted at the same time. */
const CONCURRENCY = 8;

/**
 * Returns what `work` returned for each item. Waits for all, also after a failure: nothing is still being written when the caller
 * removes the files.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limit = pLimit(CONCURRENCY);
  const outcomes = await Promise.allSettled(items.map((item) => limit(() => work(item))));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
