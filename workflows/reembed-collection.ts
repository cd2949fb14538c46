import { condition, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import { assertNever } from '#domain/app-error.ts';
import type { BuildPosition, ReembedArgs, ReembedProgress } from '#domain/index/reembed-job.ts';
import { REINDEX_PARTS } from '#domain/index/reindex-job.ts';
import { activityFailureOf, activityProxiesFor } from './activity-proxies.ts';
import { pollIntervalMs } from './poll-interval.ts';
import { dropNowSignal, wakeSignal } from './signals.ts';
import { upsertStage } from './upsert-stage.ts';

/** A history of tens of thousands of events is slow to replay. */
const TIME_SLICES_PER_RUN = 500;
const MAX_WAIT_MS = 30_000;
/** Searches and time slices that began with the old index have ended by then. */
const OLD_INDEX_KEPT = '1m';

/** Where the parts have arrived: a position, or null at the beginning or the end of a part. */
type Cursors = readonly { after: BuildPosition | null; isDone: boolean }[];
const FROM_THE_START: Cursors = Array.from({ length: REINDEX_PARTS }, () => ({ after: null, isDone: false }));

/**
 * Changes the embedder of a collection: builds an index beside the present one, switches to it, and drops the other. The rows say
 * what is to be done; a signal only wakes the workflow. `cursors`: of an execution that was continued.
 */
export async function reembedCollection(args: ReembedArgs & { cursors?: Cursors }): Promise<void> {
  const { cursors: begun, ...reembedding } = args;
  const { upkeep } = activityProxiesFor(args.workspace_id);
  let woken = false;
  let isDropAsked = false;
  setHandler(wakeSignal, () => void (woken = true));
  setHandler(dropNowSignal, () => void (isDropAsked = true));
  const pass: Pass = { cursors: begun ?? FROM_THE_START, timeSlices: 0, isStopped: false };
  const begin = () => upkeep.beginReembedding.executeWithOptions({ summary: 'Create the new index' }, [reembedding]);
  let progress = await begin();
  let [waits, polls] = [0, 0];
  for (let stage = ''; ;) {
    if (progress.status !== stage) upsertStage((stage = progress.status));
    show(reembedding, progress);
    switch (progress.status) {
      case 'pending':
        progress = await begin();
        break;
      case 'building': {
        woken = false;
        progress = await build(reembedding, pass);
        if (pass.timeSlices >= TIME_SLICES_PER_RUN)
          await continueAsNew<typeof reembedCollection>({ ...reembedding, cursors: pass.cursors });
        if (progress.status !== 'building') break;
        // Each pass reads all contents.
        waits += 1;
        const summary = 'Contents were published meanwhile: write them, too';
        await condition(() => woken, Math.min(2 ** waits * 500, MAX_WAIT_MS), { summary });
        break;
      }
      case 'paused':
        await condition(() => woken, pollIntervalMs(polls++), {
          summary: 'Paused until woken, or until the next poll',
        });
        woken = false;
        if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reembedCollection>(reembedding);
        progress = await upkeep.findReembedding.executeWithOptions({ summary: 'Read what to do' }, [reembedding]);
        if (progress.status !== 'paused') waits = polls = 0;
        break;
      case 'switched':
        await condition(() => isDropAsked, OLD_INDEX_KEPT, { summary: 'Searches of the old index end' });
        progress = await dropRetired(reembedding);
        break;
      case 'cancelling':
      case 'failing':
        progress = await dropRetired(reembedding);
        break;
      case 'completed':
      case 'cancelled':
      case 'failed':
      case 'gone':
        return end(reembedding);
      default:
        return assertNever(progress.status);
    }
  }
}

/** `isStopped`: a part has failed for good, so the others end with their time slice. */
type Pass = { cursors: Cursors; timeSlices: number; isStopped: boolean };

/** Writes what is left of all parts, as long as nobody stops it, and then tries to switch. A failure ends it after all parts. */
async function build(args: ReembedArgs, pass: Pass): Promise<ReembedProgress> {
  const { upkeep } = activityProxiesFor(args.workspace_id);
  try {
    await buildParts(args, pass);
    if (pass.cursors.every(({ isDone }) => isDone)) {
      pass.cursors = FROM_THE_START;
      return await upkeep.switchIndex.executeWithOptions({ summary: 'Switch to the new index if it is complete' }, [
        args,
      ]);
    }
    return await upkeep.findReembedding.executeWithOptions({ summary: 'Read what to do' }, [args]);
  } catch (error) {
    const failure = { ...args, ...activityFailureOf(error) };
    return upkeep.stopReembedding.executeWithOptions({ summary: `Stop: ${failure.code}` }, [failure]);
  }
}

/** Waits for all parts, so that none of them says what it waits for after the reason of a failure is shown. */
async function buildParts(args: ReembedArgs, pass: Pass): Promise<void> {
  pass.isStopped = false;
  const parts = pass.cursors.map(async (_, number) => {
    try {
      return await buildPart(args, pass, number);
    } catch (error) {
      pass.isStopped = true;
      throw error;
    }
  });
  const ended = await Promise.allSettled(parts);
  pass.cursors = ended.map((part, number) => (part.status === 'fulfilled' ? part.value : cursorOf(pass, number)));
  for (const part of ended) if (part.status === 'rejected') throw part.reason;
}

function cursorOf({ cursors }: Pass, number: number): Cursors[number] {
  return cursors[number] ?? { after: null, isDone: false };
}

async function buildPart(args: ReembedArgs, pass: Pass, number: number): Promise<Cursors[number]> {
  const { index } = activityProxiesFor(args.workspace_id);
  let cursor = cursorOf(pass, number);
  while (!cursor.isDone && !pass.isStopped && pass.timeSlices < TIME_SLICES_PER_RUN) {
    pass.timeSlices += 1;
    const slice = { ...args, part: { number, of: REINDEX_PARTS }, after: cursor.after };
    const summary = `Embed and write chunks, part ${number + 1}`;
    const { after, ...progress } = await index.reembedSlice.executeWithOptions({ summary }, [slice]);
    show(args, progress);
    if (progress.status !== 'building') break;
    cursor = { after, isDone: after === null };
  }
  return cursor;
}

async function dropRetired(args: ReembedArgs): Promise<ReembedProgress> {
  const { upkeep } = activityProxiesFor(args.workspace_id);
  return upkeep.dropRetiredIndex.executeWithOptions({ summary: 'Drop the index that is not used' }, [args]);
}

async function end({ workspace_id }: ReembedArgs): Promise<void> {
  const { upkeep } = activityProxiesFor(workspace_id);
  const finished = { workspace_id, outbox_id: workflowInfo().workflowId };
  await upkeep.settleOutbox.executeWithOptions({ summary: 'Complete the outbox row' }, [finished]);
}

function show(args: ReembedArgs, { status, contents, total_contents }: ReembedProgress): void {
  setCurrentDetails(
    `**${status}**: ${contents} of ${total_contents} contents\n\n- workspace \`${args.workspace_id}\`\n` +
      `- collection \`${args.collection_id}\``,
  );
}
