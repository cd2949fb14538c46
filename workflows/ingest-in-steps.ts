import type { RunKey } from '#domain/uploads/ingest-jobs.ts';
import type { StepOutcome } from '#domain/uploads/batch-outcome.ts';
import type { Batch } from '#domain/uploads/ingest-steps.ts';
import { activityProxiesFor } from './activity-proxies.ts';
import { reprojectStale } from './reproject-contents.ts';

/** Contents of a batch that are not finished: those that wait to be resumed, and those that have been resumed since. */
export type Unfinished = { paused: string[]; resumed: string[] };

type Display = { total: number; enter: (stage: string, detail: string) => void };

/**
 * The steps of batches that were started before `ingestSlice` existed. Remove it, and the activities that only it calls, when no
 * such batch is running any more.
 */
export async function ingestInSteps(
  run: RunKey,
  downloaded: StepOutcome,
  { total, enter }: Display,
): Promise<Unfinished> {
  const { ingest } = activityProxiesFor(run.workspace_id);
  const paused = [...downloaded.paused];
  const read: string[] = [];
  for (let left = downloaded.go_on; left.length > 0;) {
    enter('reading', `${left.length} of ${total} contents`);
    const summary = `Read and split ${left.length} contents`;
    const outcome = await ingest.readContents.executeWithOptions({ summary }, [{ ...run, content_ids: left }]);
    paused.push(...outcome.paused);
    read.push(...outcome.go_on);
    left = outcome.more ?? [];
  }
  if (read.length === 0) return { paused, resumed: [] };
  const published = await indexAndPublish({ ...run, content_ids: read }, enter);
  return { paused: [...paused, ...published.paused], resumed: published.resumed };
}

async function indexAndPublish(batch: Batch, enter: Display['enter']): Promise<Unfinished> {
  const { index } = activityProxiesFor(batch.workspace_id);
  const count = `${batch.content_ids.length} contents`;
  let chunks = 0;
  for (let done = false; !done;) {
    enter('indexing', `${count}, ${chunks} chunks so far`);
    const outcome = await index.indexSlice.executeWithOptions({ summary: `Embed and index ${count}` }, [batch]);
    chunks += outcome.chunks;
    done = outcome.done;
  }
  enter('publishing', `${count}, ${chunks} chunks`);
  const published = await index.publishContents.executeWithOptions({ summary: `Publish ${count}` }, [batch]);
  await reprojectStale(batch, published.stale);
  return published;
}
