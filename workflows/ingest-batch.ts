import {
  ActivityFailure,
  condition,
  defineQuery,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { IngestBatchArgs } from '../domain/ingest-jobs.ts';
import { describeOutcome, type BatchOutcome } from '../domain/ingest-outcomes.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/** Row state decides what happens; this only makes the workflow look at it now. */
export const wakeSignal = defineSignal('wake');
export const batchStageQuery = defineQuery<string>('stage');

/** A paused batch looks again by itself, in case a wake-up was lost. */
const LOOK_AGAIN = '10m';

/** Ingests 1 to 40 contents: download, read and split, index in slices, publish. Contents end one by one, never the batch. */
export async function ingestBatch(args: IngestBatchArgs): Promise<BatchOutcome> {
  const { workspace_id, collection_id, run_id, content_ids } = args;
  const batch = { workspace_id, collection_id, run_id, content_ids };
  const { upkeep, ingest, index } = stepsFor(workspace_id);
  let stage = 'pending';
  let woken = false;
  setHandler(wakeSignal, () => void (woken = true));
  setHandler(batchStageQuery, () => stage);
  const enter = (name: string, detail: string) => {
    stage = name;
    showStage(name);
    setCurrentDetails(
      `**${name}**: ${detail}\n\nWorkspace \`${workspace_id}\`, collection \`${collection_id}\`, run \`${run_id}\``,
    );
  };

  /** Takes contents as far as they go now; returns those that are paused. */
  const advance = async (ids: string[]): Promise<string[]> => {
    const paused: string[] = [];
    let left = ids;
    if (args.downloads) {
      enter('downloading', `${left.length} of ${content_ids.length} contents`);
      const step = await ingest.downloadContents.executeWithOptions({ summary: `Download ${left.length} contents` }, [
        { ...batch, content_ids: left },
      ]);
      paused.push(...step.paused);
      left = step.go_on;
    }
    if (left.length > 0) {
      enter('reading', `${left.length} of ${content_ids.length} contents`);
      const step = await ingest.readContents.executeWithOptions({ summary: `Read and split ${left.length} contents` }, [
        { ...batch, content_ids: left },
      ]);
      paused.push(...step.paused);
      left = step.go_on;
    }
    if (left.length === 0) return paused;
    let chunks = 0;
    for (let done = false; !done;) {
      enter('indexing', `${left.length} contents, ${chunks} chunks so far`);
      const slice = await index.indexSlice.executeWithOptions({ summary: `Embed and index ${left.length} contents` }, [
        { ...batch, content_ids: left },
      ]);
      chunks += slice.chunks;
      done = slice.done;
    }
    enter('publishing', `${left.length} contents, ${chunks} chunks`);
    const published = await index.publishContents.executeWithOptions({ summary: `Publish ${left.length} contents` }, [
      { ...batch, content_ids: left },
    ]);
    if (published.stale.length > 0) {
      await index.reprojectContents({ workspace_id, collection_id, content_ids: published.stale });
    }
    return [...paused, ...published.paused];
  };

  try {
    for (let left = await advance(content_ids); left.length > 0; left = await advance(left)) {
      enter('paused', `${left.length} contents wait to be resumed`);
      await condition(() => woken, LOOK_AGAIN);
      woken = false;
    }
  } catch (error) {
    if (isCancellation(error) || !(error instanceof ActivityFailure)) throw error;
    const message = `Ingestion stopped: ${error.cause?.message ?? error.message}`;
    await upkeep.failContents({ ...batch, code: 'internal', message });
  }
  const outcome = await upkeep.summarizeBatch(batch);
  if (args.outbox_id !== null)
    await upkeep.settleRun({ workspace_id, collection_id, run_id, outbox_id: args.outbox_id });
  enter('settled', [describeOutcome(outcome), ...outcome.failures.map((failure) => `- ${failure}`)].join('\n'));
  return outcome;
}
