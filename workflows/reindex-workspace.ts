import { continueAsNew, setCurrentDetails, sleep, workflowInfo } from '@temporalio/workflow';
import type { ReindexArgs, ReindexProgress } from '#domain/index/reindex-job.ts';
import { showStage } from './search-attributes.ts';
import { stepsFor } from './steps.ts';

/** A history of tens of thousands of events is slow to replay; where it goes on is in the rows. */
const STEPS_OF_ONE_RUN = 500;
const MAX_PAUSE_S = 30;

/** Writes everything of a workspace into the index again: chunks by steps of its own, memories by the loop that looks after them. */
export async function reindexWorkspace(args: ReindexArgs): Promise<void> {
  const { upkeep, index } = stepsFor(args.workspace_id);
  const show = (doing: string, at: ReindexProgress) =>
    setCurrentDetails(
      `**${doing}**\n\n- workspace \`${args.workspace_id}\`\n- contents ${at.contents} of ${at.total_contents}\n` +
        `- versions of memories ${at.memories} of ${at.total_memories}`,
    );
  showStage('indexing');
  let at: ReindexProgress | null = await upkeep.beginReindexing.executeWithOptions({ summary: 'Count what there is' }, [
    args,
  ]);
  let steps = 0;
  while (at !== null) {
    show('writing contents', at);
    at = await index.reindexSlice.executeWithOptions({ summary: 'Embed and write chunks' }, [args]);
    steps += 1;
    if (at !== null && steps >= STEPS_OF_ONE_RUN) await continueAsNew<typeof reindexWorkspace>(args);
  }
  for (let pauseS = 1; ; pauseS = Math.min(2 * pauseS, MAX_PAUSE_S)) {
    at = await upkeep.followMemories.executeWithOptions({ summary: 'Count the memories that are written' }, [args]);
    if (at === null) break;
    show('memories are being written', at);
    await sleep(`${pauseS}s`, { summary: 'Memories are being written' });
  }
  const completion = { ...args, outbox_id: workflowInfo().workflowId };
  await upkeep.completeReindexing.executeWithOptions({ summary: 'Complete' }, [completion]);
  showStage('completed');
}
