import { continueAsNew, patched, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import { REINDEX_PARTS, type ReindexArgs, type ReindexPart, type ReindexProgress } from '#domain/index/reindex-job.ts';
import { upsertStage } from './upsert-stage.ts';
import { activityProxiesFor } from './activity-proxies.ts';

/** A history of tens of thousands of events is slow to replay. The position is kept in the database. */
const TIME_SLICES_PER_RUN = 500;
const MAX_WAIT_S = 30;

/**
 * Rewrites the index of a workspace: chunks with its own activities, memories by waiting for the worker loop that writes them.
 */
export async function reindexWorkspace(args: ReindexArgs): Promise<void> {
  const { upkeep, index } = activityProxiesFor(args.workspace_id);
  const show = (doing: string, progress: ReindexProgress) =>
    setCurrentDetails(
      `**${doing}**\n\n- workspace \`${args.workspace_id}\`\n- contents ${progress.contents} of ${progress.total_contents}\n` +
        `- memory versions ${progress.memories} of ${progress.total_memories}`,
    );
  upsertStage('indexing');
  const progress = await upkeep.beginReindexing.executeWithOptions({ summary: 'Count contents and memories' }, [args]);
  show('writing contents', progress);
  let timeSlices = 0;
  /** Writes a part, or everything. False when this execution has had its time slices. */
  const write = async (part: { part?: ReindexPart }): Promise<boolean> => {
    while (timeSlices < TIME_SLICES_PER_RUN) {
      timeSlices += 1;
      const summary = part.part ? `Embed and write chunks, part ${part.part.number + 1}` : 'Embed and write chunks';
      const now = await index.reindexSlice.executeWithOptions({ summary }, [{ ...args, ...part }]);
      if (now === null) return true;
      show('writing contents', now);
    }
    return false;
  };
  const parts = Array.from({ length: REINDEX_PARTS }, (_, number) => ({ part: { number, of: REINDEX_PARTS } }));
  const ended = await Promise.all((patched('reindex-in-parts') ? parts : [{}]).map(write));
  if (ended.includes(false)) await continueAsNew<typeof reindexWorkspace>(args);
  for (let waitS = 1; ; waitS = Math.min(2 * waitS, MAX_WAIT_S)) {
    const now = await upkeep.followMemories.executeWithOptions({ summary: 'Count the memories written so far' }, [
      args,
    ]);
    if (now === null) break;
    show('writing memories', now);
    await sleep(`${waitS}s`, { summary: 'Wait for memories to be written' });
  }
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  await upkeep.completeReindexing.executeWithOptions({ summary: 'Complete the reindexing' }, [completion]);
  upsertStage('completed');
}
