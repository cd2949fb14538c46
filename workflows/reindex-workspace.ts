import { continueAsNew, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { ReindexArgs, ReindexProgress } from '#domain/index/reindex-job.ts';
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
  let progress: ReindexProgress | null = await upkeep.beginReindexing.executeWithOptions(
    { summary: 'Count contents and memories' },
    [args],
  );
  let timeSlices = 0;
  while (progress !== null) {
    show('writing contents', progress);
    progress = await index.reindexSlice.executeWithOptions({ summary: 'Embed and write chunks' }, [args]);
    timeSlices += 1;
    if (progress !== null && timeSlices >= TIME_SLICES_PER_RUN) await continueAsNew<typeof reindexWorkspace>(args);
  }
  for (let waitS = 1; ; waitS = Math.min(2 * waitS, MAX_WAIT_S)) {
    progress = await upkeep.followMemories.executeWithOptions({ summary: 'Count the memories written so far' }, [args]);
    if (progress === null) break;
    show('writing memories', progress);
    await sleep(`${waitS}s`, { summary: 'Wait for memories to be written' });
  }
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  await upkeep.completeReindexing.executeWithOptions({ summary: 'Complete the reindexing' }, [completion]);
  upsertStage('completed');
}
